import { shareInterval } from '@spoor/clustering/statistics/share-interval'
import type { VersionList } from '@spoor/contract/schemas/versions'
import type { WebhookEvents } from '@spoor/contract/schemas/webhook-event'
import type { ComparedVersions, Failures, VersionComparison } from '../traces/insight/versions/compare-versions.ts'
import type { Regression } from '../traces/insight/versions/report-regressions.ts'
import { toFailurePatterns } from './patterns-to-wire.ts'
import { toWireTime } from './to-wire.ts'

export function toVersionList({ versionKey, versions }: ComparedVersions, failure_by: string): VersionList {
  return {
    versions: versions.map(({ version, firstAt, lastAt, failed, runs, comparison, clusters }) => ({
      version,
      first_at: toWireTime(firstAt),
      last_at: toWireTime(lastAt),
      ...ratesOf({ failed, runs }),
      comparison: comparison && {
        compared_with: comparison.comparedWith,
        failed: toCount(comparison.now),
        ...toComparison(comparison),
      },
      clusters: clusters.map(({ cluster, ...one }) => ({
        cluster_id: cluster.id,
        label: cluster.label,
        ...ratesOf(one.now),
        ...toComparison(one),
      })),
    })),
    version_key: versionKey,
    failure_by,
  }
}

function toComparison({ before, evidence, regressed }: VersionComparison) {
  return { before: toCount(before), evidence, regressed }
}

function ratesOf(failures: Failures) {
  const { failed, runs } = failures
  const [low, high] = shareInterval({ hits: failed, total: runs })
  return { failed: toCount(failures), rate: failed / runs, low, high }
}

function toCount({ failed, runs }: Failures) {
  return { count: failed, of: runs }
}

/** The data of the event. */
export function printRegression(regression: Regression): string {
  const { version, comparedWith, cluster, comparison, versionKey, failureBy, patterns, shown } = regression
  const data: WebhookEvents['version.regressed']['data'] = {
    version,
    compared_with: comparedWith,
    cluster: cluster && { id: cluster.id, label: cluster.label },
    failed: toCount(comparison.now),
    before: toCount(comparison.before),
    evidence: comparison.evidence,
    version_key: versionKey,
    failure_by: failureBy,
    patterns: toFailurePatterns(patterns, failureBy, shown).patterns,
  }
  return JSON.stringify(data)
}
