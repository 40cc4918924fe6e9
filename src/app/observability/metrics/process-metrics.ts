/** Metrics of the process: CPU, memory, event loop, garbage collection. With the names of other Node exporters. */
import { monitorEventLoopDelay, PerformanceObserver, performance, type IntervalHistogram } from "node:perf_hooks";
import type { Family } from "./exposition.ts";

/** Resolution of the event-loop delay; finer would cost more, and shorter delays are noise. */
const RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

export class ProcessMetrics {
  #loop: IntervalHistogram | undefined;
  #observer: PerformanceObserver | undefined;
  #gcCount = 0;
  #gcSeconds = 0;

  /** Starts measurements; values that need none are read on request. */
  start(): void {
    this.#loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#loop.enable();
    this.#observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        this.#gcCount++;
        this.#gcSeconds += duration / 1000;
      }
    });
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  stop(): void {
    this.#loop?.disable();
    this.#observer?.disconnect();
  }

  families(): Family[] {
    const cpu = process.cpuUsage();
    const memory = process.memoryUsage();
    return [
      counter("process_cpu_user_seconds_total", "Processor time in user mode", cpu.user / 1e6),
      counter("process_cpu_system_seconds_total", "Processor time in system mode", cpu.system / 1e6),
      gauge("process_start_time_seconds", "Start time of the process, in Unix time", performance.timeOrigin / 1000),
      gauge("process_resident_memory_bytes", "Resident memory", memory.rss),
      gauge("nodejs_heap_size_total_bytes", "Heap that V8 has reserved", memory.heapTotal),
      gauge("nodejs_heap_size_used_bytes", "Heap in use", memory.heapUsed),
      gauge("nodejs_external_memory_bytes", "Memory of buffers and other objects outside the heap", memory.external),
      ...this.#loopFamilies(),
      counter("nodejs_gc_runs_total", "Runs of the garbage collector", this.#gcCount),
      counter("nodejs_gc_seconds_total", "Time in the garbage collector", this.#gcSeconds),
    ];
  }

  /** Since the last request. Without samples for the first moments of a process, in which nothing is measured yet. */
  #loopFamilies(): Family[] {
    const loop = this.#loop;
    const measured = loop && loop.count > 0 ? loop : undefined;
    const lag = (name: string, help: string, nanoseconds: number | undefined): Family => {
      // The histogram measures whole turns between two ticks; the delay is the excess.
      const value = Math.max(0, (nanoseconds ?? 0) / NANOSECONDS - RESOLUTION_MS / 1000);
      const samples = nanoseconds === undefined ? [] : [{ value }];
      return {
        name: `nodejs_eventloop_lag_${name}_seconds`,
        type: "gauge",
        help: `Delay of the event loop, ${help}`,
        samples,
      };
    };
    const families = [
      lag("mean", "mean", measured?.mean),
      lag("p50", "median", measured?.percentile(50)),
      lag("p99", "99th percentile", measured?.percentile(99)),
      lag("max", "longest", measured?.max),
    ];
    measured?.reset();
    return families;
  }
}

function gauge(name: string, help: string, value: number): Family {
  return { name, type: "gauge", help, samples: [{ value }] };
}

function counter(name: string, help: string, value: number): Family {
  return { name, type: "counter", help, samples: [{ value }] };
}
