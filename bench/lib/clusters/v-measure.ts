/**
 * How well groups agree with labels, 0 to 1 (Rosenberg and Hirschberg, 2007): the harmonic mean of homogeneity (a group
 * has one label) and completeness (a label is in one group). Names of groups and labels do not matter. 1 when both are
 * a single group.
 */
export function vMeasure(labels: ArrayLike<string | number>, groups: ArrayLike<string | number>): number {
  const pairs = Array.from({ length: labels.length }, (_, index) => `${labels[index]!}\0${groups[index]!}`)
  const ofLabels = entropy(labels)
  const ofGroups = entropy(groups)
  return ofLabels + ofGroups === 0 ? 1 : (2 * (ofLabels + ofGroups - entropy(pairs))) / (ofLabels + ofGroups)
}

function entropy(values: ArrayLike<string | number>): number {
  const counts = new Map<string | number, number>()
  for (const value of Array.from(values)) counts.set(value, (counts.get(value) ?? 0) + 1)
  let sum = 0
  for (const count of counts.values()) sum -= (count / values.length) * Math.log(count / values.length)
  return sum
}
