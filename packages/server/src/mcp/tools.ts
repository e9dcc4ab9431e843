import { discoverClusters, getCluster, listClusters } from './clusters.ts'
import { compareTraces } from './compare-traces.ts'
import { compareVersions } from './compare-versions.ts'
import { findPatterns } from './find-patterns.ts'
import { flagTrace } from './flag-trace.ts'
import { metricSeries, recordMetricEvent } from './metrics.ts'
import { listMonitors } from './monitors.ts'
import { searchSteps } from './search-steps.ts'
import { searchTraces } from './search-traces.ts'
import { series } from './series.ts'
import type { Tool } from './tool.ts'
import { firstDivergence } from './trace/first-divergence.ts'
import { getTrace } from './trace/get-trace.ts'

/** In the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  searchTraces,
  searchSteps,
  getTrace,
  compareTraces,
  firstDivergence,
  findPatterns,
  compareVersions,
  listClusters,
  getCluster,
  series,
  metricSeries,
  listMonitors,
  recordMetricEvent,
  flagTrace,
  discoverClusters,
]
