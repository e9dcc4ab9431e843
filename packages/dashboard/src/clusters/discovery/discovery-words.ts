import type { DiscoveryBody, DiscoveryJob } from '@spoor/contract/schemas/cluster'
import { formatCount } from '../../lib/format-number.ts'

type Phase = NonNullable<DiscoveryJob['progress']>['phase']

/** In their order. */
const PHASES: Readonly<Record<Phase, string>> = {
  listing: 'Listing the traces',
  reading: 'Reading their steps',
  embedding: 'Comparing what was asked and done',
  clustering: 'Looking for groups',
  saving: 'Naming and saving',
}

const LEAST_TRACES = 20

/** "24 hours", "7 days". */
export function hoursInWords(hours: number): string {
  if (hours % 24 === 0 && hours > 24) return `${hours / 24} days`
  return hours === 1 ? '1 hour' : `${formatCount(hours)} hours`
}

export interface Progress {
  readonly text: string
  /** Of the whole, from 0 to 1: each phase counts the same. */
  readonly share: number
}

/** How far a job is; null once it has ended. */
export function progressOf({ status, progress }: DiscoveryJob): Progress | null {
  if (status === 'queued') return { text: 'Waiting for its turn', share: 0 }
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

/** What an ended job came to; null before. */
export function outcomeOf({ status, result, error, window_hours }: DiscoveryJob): Outcome | null {
  if (status === 'failed') return { kind: 'fail', text: `The discovery failed: ${error ?? 'the reason is not known'}` }
  if (status !== 'succeeded' || result === null) return null
  if (result.reason === 'insufficient_data') {
    const traces = result.traces === 1 ? '1 trace' : `${formatCount(result.traces)} traces`
    return {
      kind: 'warn',
      text: `Not enough to compare: ${traces} in the last ${hoursInWords(window_hours)}, and a discovery needs at least ${LEAST_TRACES}. Look further back, or record more first. What was found before stays as it is.`,
    }
  }
  const { clusters, traces, created, shifted, ended } = result
  const found = clusters === 1 ? '1 cluster' : `${formatCount(clusters)} clusters`
  const text = `Found ${found} in ${formatCount(traces)} traces: ${created} new, ${shifted} shifted, ${ended} ended.`
  if (result.reason === null) return { kind: 'ok', text }
  return { kind: 'warn', text: `${text} That is fewer than the minimum, because too few of the traces differ.` }
}

/** Whether the job that answers a request is another one, which was under way before. */
export function isOtherJob(job: DiscoveryJob, asked: Required<DiscoveryBody>): boolean {
  return job.window_hours !== asked.window_hours || job.k_min !== asked.k_min || job.k_max !== asked.k_max
}
