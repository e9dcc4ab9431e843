import { groupClusters } from '@spoor/clustering/group-clusters'
import { MOST_NAMING_TEXTS, nameClusters, type NamingSample } from '@spoor/clustering/naming/name-clusters'
import type { IsPersonal } from '@spoor/clustering/naming/personal-words'
import { placeBefore, type RunParts } from './run-parts.ts'

/**
 * For each cluster the name of the topic that holds it and others; null for one that is alone, and for all when there
 * are few. A topic is named as clusters are, by texts of all of its clusters.
 */
export function topicsOf(
  parts: RunParts,
  samples: readonly NamingSample[],
  isPersonal: IsPersonal,
): readonly (string | null)[] {
  const places = samples.map((_, cluster) => placeBefore(parts, cluster))
  const former = parts.last?.names.map(({ parent }) => parent) ?? []
  const groups = groupClusters(
    parts.discovery.centroids,
    places.map((place) => former[place] ?? null),
  )
  const combined = groups.map((group): NamingSample => {
    const textsOfEach = Math.floor(MOST_NAMING_TEXTS / group.length)
    return {
      texts: group.flatMap((cluster) => samples[cluster]!.texts.slice(0, textsOfEach)),
      previous: previousTopic(former, new Set(group.map((cluster) => places[cluster]!))),
    }
  })
  const names = nameClusters(combined, isPersonal, new Set(former.filter((topic) => topic !== null)))
  const topics = samples.map((): string | null => null)
  groups.forEach((group, index) => {
    if (group.length > 1) for (const cluster of group) topics[cluster] = names[index]!.label
  })
  return topics
}

/** The topic of the last run of which more than half of the clusters are among those at `places`. */
function previousTopic(former: readonly (string | null)[], places: ReadonlySet<number>): NamingSample['previous'] {
  const topics = Map.groupBy(former.keys(), (place) => former[place] ?? null)
  const shared = [...topics].flatMap(([label, own]) => {
    const count = own.filter((place) => places.has(place)).length
    return label !== null && 2 * count > own.length ? [{ label, count }] : []
  })
  return shared.toSorted((one, other) => other.count - one.count)[0] ?? null
}
