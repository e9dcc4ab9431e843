import type { DiscoveryBody, DiscoveryJob } from '@spoor/contract/schemas/cluster'
import { formatCount } from '../../lib/format-number.ts'

/** In the order in which they run. */
const PHASES: Readonly<Record<NonNullable<DiscoveryJob['progress']>['phase'], string>> = {
  listing: 'Listing traces',
  reading: 'Reading steps',
  embedding: 'Computing embeddings',
  clustering: 'Clustering',
  saving: 'Naming and saving clusters',
}

const LEAST_TRACES = 20

/** "24 hours", "7 days". */
export function hoursInWords(hours: number): string {
  if (hours % 24 === 0 && hours > 24) return `${hours / 24} days`
  return hours === 1 ? '1 hour' : `${formatCount(hours)} hours`
}

export interface Progress {
  readonly text: string
  /** Of the whole job, from 0 to 1. All phases count the same. */
  readonly share: number
}

/** The progress of a job; null after its end. */
export function progressOf({ status, progress }: DiscoveryJob): Progress | null {
  if (status === 'queued') return { text: 'Queued', share: 0 }
  if (status !== 'running') return null
  if (progress === null) return { text: 'Starting', share: 0 }
  const phases = Object.keys(PHASES)
  const done = phases.indexOf(progress.phase)
  return {
    text: `${PHASES[progress.phase]} (${done + 1} of ${phases.length})`,
    share: (done + progress.share) / phases.length,
  }
}

export interface Outcome {
  readonly kind: 'ok' | 'warn' | 'fail'
  readonly text: string
}

/** The result of a finished job; null before its end. */
export function outcomeOf({ status, result, error, window_hours }: DiscoveryJob): Outcome | null {
  if (status === 'failed') return { kind: 'fail', text: `Discovery failed: ${error ?? 'unknown reason'}` }
  if (status !== 'succeeded' || result === null) return null
  if (result.reason === 'insufficient_data') {
    const traces = result.traces === 1 ? '1 trace' : `${formatCount(result.traces)} traces`
    return {
      kind: 'warn',
      text: `Not enough traces: ${traces} in the last ${hoursInWords(window_hours)}. A discovery needs at least ${LEAST_TRACES}. Choose a longer window or record more traces. Existing clusters stay.`,
    }
  }
  const { clusters, traces, created, shifted, ended } = result
  const found = clusters === 1 ? '1 cluster' : `${formatCount(clusters)} clusters`
  const text = `Found ${found} in ${formatCount(traces)} traces: ${created} new, ${shifted} shifted, ${ended} ended.`
  if (result.reason === null) return { kind: 'ok', text }
  return { kind: 'warn', text: `${text} That is fewer than the minimum, because too few traces differ.` }
}

/** Whether the returned job has other settings, because it was already running. */
export function isOtherJob(job: DiscoveryJob, requested: DiscoveryBody): boolean {
  const settings = ['window_hours', 'k_min', 'k_max', 'only_complete', 'failure_by'] as const
  return settings.some((name) => job[name] !== requested[name])
}
