#!/usr/bin/env node
import "../out/cli/main.js";
