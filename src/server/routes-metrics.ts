// For Prometheus and whatever reads its text format.

import type { Hono } from 'hono';
import type { HttpEnv, Routing } from './routing.ts';

/** /metrics. Needs no quorum, and costs what is shown. */
export function metricsRoutes(app: Hono<HttpEnv>, { metrics }: Routing): void {
  app.get('/metrics', async (context) => {
    context.header('Content-Type', metrics.contentType);
    return context.body(await metrics.text());
  });
}
