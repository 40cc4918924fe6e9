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

  /** Since the last request. */
  #loopFamilies(): Family[] {
    const loop = this.#loop;
    if (!loop || loop.count === 0) return [];
    // The histogram measures whole turns between two ticks; the delay is the excess.
    const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1000);
    const families = [
      gauge("nodejs_eventloop_lag_mean_seconds", "Delay of the event loop, mean", seconds(loop.mean)),
      gauge("nodejs_eventloop_lag_p50_seconds", "Delay of the event loop, median", seconds(loop.percentile(50))),
      gauge(
        "nodejs_eventloop_lag_p99_seconds",
        "Delay of the event loop, 99th percentile",
        seconds(loop.percentile(99)),
      ),
      gauge("nodejs_eventloop_lag_max_seconds", "Delay of the event loop, longest", seconds(loop.max)),
    ];
    loop.reset();
    return families;
  }
}

function gauge(name: string, help: string, value: number): Family {
  return { name, type: "gauge", help, samples: [{ value }] };
}

function counter(name: string, help: string, value: number): Family {
  return { name, type: "counter", help, samples: [{ value }] };
}
