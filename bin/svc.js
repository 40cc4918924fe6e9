#!/usr/bin/env node
import "../out/bundle/main.js";
