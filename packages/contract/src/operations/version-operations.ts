import { REGRESSION_EVIDENCE, VERSION_TRACES, VersionList, VersionsQuery } from '../schemas/versions.ts'
import type { Operation } from './operation.ts'

export const VERSION_OPERATIONS = {
  listVersions: {
    method: 'GET',
    path: '/v1/versions',
    tag: 'traces',
    summary: 'Compare the failure rates of versions',
    description: `The newest versions among the traces that pass the filters, over all and in each cluster. A version is compared with the one before it by the first ${VERSION_TRACES.toLocaleString('en')} runs of each: a sequential test, whose answer may be looked at at any time. For a version that is no worse, the chance that \`evidence\` ever reaches ${REGRESSION_EVIDENCE} over all runs or in any cluster of one discovery is at most 5 %. A version whose first runs the retention of the project may have deleted is not compared. A version that regressed emits \`version.regressed\` once over all runs, and once in each cluster.`,
    scopes: ['read'],
    query: VersionsQuery,
    responses: { 200: { description: 'The versions.', content: { 'application/json': VersionList } } },
    errors: ['full_text_disabled'],
  },
} as const satisfies Record<string, Operation>
