// What a node tells Prometheus. What can be read when somebody asks is read then; the rest are
// plain numbers that are counted up. docs/metrics.md has the whole list.

import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { HoldfastError } from '../../base/error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeStatus } from '../../wire/client-messages.ts';
import { LoopDelay } from './loop-delay.ts';
import { METRICS } from './table.ts';
import type { LinkCounts, MetricRow, Reading } from './table.ts';
import { Tally } from './tally.ts';

/** Of a library for metrics, such as the Registry of prom-client: where metrics are shown. */
export interface MetricsRegistry {
  /** Shows a metric. Throws if one of this name is there. */
  registerMetric(metric: unknown): void;
  /** Shows it no more. */
  removeSingleMetric(name: string): void;
}

/** How metrics are shown. */
export interface MetricsOptions {
  readonly clock: Pick<Clock, 'monoUs'>;
  /** Of the program around the node. */
  readonly registry?: MetricsRegistry | undefined;
  /** Whether to tell of the process too: memory, processor time, descriptors, collections. */
  readonly hasProcess?: boolean | undefined;
}

/** Where values come from. */
export interface MetricsSource {
  readonly status: () => NodeStatus;
  readonly links: () => LinkCounts;
}

const PREFIX = 'holdfast_';
const HOLD_SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1_800, 7_200];
const BATCH_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** The metrics of one node, from its start to its stop. */
export class NodeMetrics {
  /** Looks over the node's shoulder. */
  readonly tally: Tally;
  /** To be told how long batches take. */
  readonly onBatch: (seconds: number) => void;
  private readonly registry = new Registry();
  private readonly loopDelay = new LoopDelay();
  private readonly host: MetricsRegistry | null;
  private readonly shown: string[] = [];
  private source: MetricsSource | null = null;
  private reading: Reading | null = null;

  constructor({ clock, registry, hasProcess = false }: MetricsOptions) {
    this.host = registry ?? null;
    const held = this.histogram('hold_seconds', 'How long grants were held', HOLD_SECONDS);
    const batch = this.histogram('storage_batch_seconds', 'Batches to the disk', BATCH_SECONDS);
    this.tally = new Tally({ clock, onHeld: (seconds) => held.observe(seconds) });
    this.onBatch = (seconds) => batch.observe(seconds);
    for (const row of METRICS) this.add(row);
    if (hasProcess) collectDefaultMetrics({ register: this.registry });
  }

  /**
   * Begins to tell of this node. Throws INVALID if the program's registry does not take its
   * metrics, for example because it shows another node; then nothing of this one is shown.
   */
  show(source: MetricsSource): void {
    this.source = source;
    try {
      for (const metric of this.registry.getMetricsAsArray()) {
        this.host?.registerMetric(metric);
        this.shown.push(metric.name);
      }
    } catch (error) {
      this.stop();
      const why = error instanceof Error ? error.message : String(error);
      const text = `registry: it must take the metrics of one node (${why})`;
      throw new HoldfastError('INVALID', text, { cause: error });
    }
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** In the text format of Prometheus. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Tells no more. Idempotent. */
  stop(): void {
    this.loopDelay.stop();
    for (const name of this.shown.splice(0)) this.host?.removeSingleMetric(name);
  }

  private histogram(name: string, help: string, buckets: number[]): Histogram {
    const registers = [this.registry];
    return new Histogram({ name: `${PREFIX}${name}`, help, buckets, registers });
  }

  private add(row: MetricRow): void {
    const { kind, help, label } = row;
    const read = (): Reading | null => this.read();
    const options = {
      name: `${PREFIX}${row.name}`,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.registry],
    };
    if (kind === 'gauge') {
      const metric: Gauge = new Gauge({
        ...options,
        collect: () => each(row, read(), (labels, value) => metric.set(labels, value), metric),
      });
      return;
    }
    const metric: Counter = new Counter({
      ...options,
      collect: () => each(row, read(), (labels, value) => metric.inc(labels, value), metric),
    });
  }

  /** All values of one scrape are read at once, whichever is asked for first. */
  private read(): Reading | null {
    if (this.source === null) return null;
    if (this.reading !== null) return this.reading;
    const { status, links } = this.source;
    const { tally, loopDelay } = this;
    const reading = {
      status: status(),
      links: links(),
      tally,
      loopDelaySeconds: loopDelay.takeMax(),
    };
    this.reading = reading;
    // What is asked for in this turn belongs together.
    queueMicrotask(() => (this.reading = null));
    return reading;
  }
}

/** Puts what a row reads now in the place of what was there. */
function each(
  { label, read }: MetricRow,
  reading: Reading | null,
  put: (labels: Record<string, string>, value: number) => void,
  metric: { reset(): void },
): void {
  metric.reset();
  if (reading === null) return;
  const values = read(reading);
  if (typeof values === 'number') return put({}, values);
  for (const [name, value] of values) put({ [label ?? '']: name }, value);
}
