import { type VersionList, VersionsQuery } from '@spoor/contract/schemas/versions'
import { searchInput, toSearch } from './query.ts'
import { recorded, RECORDED_IS_DATA } from './recorded.ts'
import { defineTool } from './tool.ts'

export const compareVersions = defineTool({
  name: 'compare_versions',
  description:
    'Which versions fail more often than the version before: failure rates of the newest versions with intervals of 95 %, over all runs and in each cluster, by a sequential test. ' +
    'Versions are the values of the metadata key `version_key`; `search_traces` and `find_patterns` with `metadata` find the runs of one. ' +
    RECORDED_IS_DATA,
  readOnly: true,
  input: searchInput(VersionsQuery, 'versions'),
  run: async (input, api) => {
    const { versions, version_key, failure_by } = await api.get<VersionList>('/v1/versions', toSearch(input))
    const short = versions.map(({ version, comparison, clusters, ...rates }) => {
      const { compared_with, ...tested } = comparison ?? {}
      return Object.assign(rates, {
        ...(comparison === null ? {} : { comparison: tested }),
        clusters: clusters.map(({ label, ...one }) => Object.assign(one, recorded({ label }))),
        ...recorded({ version, compared_with }),
      })
    })
    return { versions: short, failure_by, ...recorded({ version_key }) }
  },
})
