import { type Static, Type } from 'typebox'
import { closed, flagOf, idString, listOf, nullable, parameters, printedTime, textOf } from './primitives.ts'
import { countOf, failureBy, FailurePattern } from './traces/failure-patterns.ts'
import { filterFields } from './traces/feed-query.ts'

const VERSIONS_MAX = 20
export const VERSIONS_DEFAULT = 10
/** The first runs of each version that are compared with those of another. */
export const VERSION_TRACES = 3000
/** Evidence from which on a version has regressed: it is false with a probability of at most one in this number. */
export const REGRESSION_EVIDENCE = 20

export const VersionsQuery = parameters({
  ...filterFields,
  failure_by: failureBy,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: VERSIONS_MAX, default: VERSIONS_DEFAULT, description: 'The most versions.' }),
  ),
})

const rate = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })

const rates = {
  failed: countOf('Its failed runs.'),
  rate: rate('Their share.'),
  low: rate('The lower end of the interval of 95 % around `rate`.'),
  high: rate('The upper end.'),
}

const comparison = {
  before: countOf('The failed runs of the version before.'),
  evidence: Type.Number({
    minimum: 0,
    description: `How strongly the runs speak for more failures than before: an e-value. From ${REGRESSION_EVIDENCE} on the version has regressed.`,
  }),
  regressed: flagOf('Whether it fails more often than the version before.'),
}

const VersionOfCluster = closed('A version in one cluster, by the first runs of each version.', {
  cluster_id: idString('clu', 'The cluster.'),
  label: textOf('Its label.'),
  ...rates,
  ...comparison,
})

const Version = closed('A version, by its runs of which it is known whether they failed.', {
  version: textOf('The value of the metadata key, in the form of `meta_value`.'),
  first_at: printedTime('When its first run arrived.'),
  last_at: printedTime('When its latest run arrived.'),
  ...rates,
  comparison: nullable(
    closed('Its first runs and those of the version before it.', {
      compared_with: textOf('The version before: the latest earlier one with enough runs.'),
      ...comparison,
      failed: countOf('The failed runs among those compared.'),
    }),
    'Null without a version before, or if retention may have deleted runs of one of them.',
  ),
  clusters: listOf(VersionOfCluster, 'The same in each cluster of the latest discovery, the strongest evidence first.'),
})
export type Version = Static<typeof Version>

export const VersionList = closed('The versions of what ran, by the metadata key that the project names.', {
  versions: listOf(Version, 'The newest first, by the arrival of their first runs.'),
  version_key: textOf('The metadata key whose value is the version.'),
  failure_by: textOf('Which runs counted as failed.'),
})
export type VersionList = Static<typeof VersionList>

/** `data` of the event that a version has regressed. */
export const VersionRegression = {
  version: Version.properties.version,
  compared_with: textOf('The version before.'),
  cluster: nullable(
    closed('The cluster.', {
      id: idString('clu', 'The cluster.'),
      label: textOf('Its label.'),
    }),
    'In which cluster it fails more often; null: over all runs.',
  ),
  failed: countOf('The failed runs of the version.'),
  before: comparison.before,
  evidence: comparison.evidence,
  version_key: VersionList.properties.version_key,
  failure_by: VersionList.properties.failure_by,
  patterns: listOf(
    FailurePattern,
    'What failed runs of the version have that its others have not, the clearest first.',
  ),
}
