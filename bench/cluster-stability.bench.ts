/**
 * Whether clusters keep their ids from run to run, and whether new topics are reported.
 *
 *     node bench/cluster-stability.bench.ts [--quick] [--from SEED]
 *
 * On draws of CLINC150's intents, 30 requests each, and on generated topics. The basis is either fitted again when a
 * window is unfamiliar, as in the service, or for each run on the last and the current window. Recall × precision of a
 * new topic is bounded by the embedding, so the value of a cold start at the true number of topics is printed beside
 * it. Refused gains (decision 0075) are compared with runs without them.
 */
import { IDENTITY_THRESHOLDS, type IdentityThresholds } from '../packages/clustering/src/identity/thresholds.ts'
import { createRandom } from '../packages/clustering/src/partition/seeded-random.ts'
import { seedCentroids } from '../packages/clustering/src/partition/seed-centroids.ts'
import { sphericalKMeans } from '../packages/clustering/src/partition/spherical-k-means.ts'
import {
  ClusterProject,
  recallTimesPrecision,
  type ClusterRun,
  type ProjectTrace,
} from './lib/clusters/cluster-project.ts'
import { embedTraces } from './lib/clusters/embed-traces.ts'
import { generateTopic } from './lib/clusters/generated-topics.ts'
import { drawLabels, featured, readIntentTexts, type LabelledTrace } from './lib/clusters/labelled-traces.ts'
import { replacedTopics, stationaryDays } from './lib/clusters/daily-ids.ts'
import { generatedTopics, intentsOnce, intentsRecombined, type TopicSource } from './lib/archives/day-stream.ts'
import { readOptions } from './lib/options.ts'
import { mean } from './lib/percentile.ts'
import { Report } from './lib/report.ts'

const { quick, from: firstSeed } = readOptions()
const DRAWS = quick ? 8 : 40
const BASES = ['kept while it fits', 'refitted'] as const
const WINDOWS = 4
const NEW_SHARE = 0.08
/** Traces a day, and draws of them. */
const PER_DAY: readonly number[] = quick ? [250] : [250, 600, 1500]
const TOPICS = 10
const REPLACED = 3
/** Without common traces, any gain that suffices for a new topic then creates one. */
const WITHOUT_REFUSED_GAIN: IdentityThresholds = { ...IDENTITY_THRESHOLDS, refusedGainRatio: 0 }
const report = new Report('Clusters from run to run')
const texts = readIntentTexts()
if (texts === null) report.figure('CLINC150', 'left out: there is no ../shared/data')
else {
  const intents = texts.map(featured)
  // Each intent has 30 requests: half of them a day, for two days.
  daily('CLINC150, each request once', [150], 2, (count, random) => intentsOnce(texts, count, random))
  daily('CLINC150, recombined', PER_DAY, 4, (count, random) => intentsRecombined(texts, count, random))
  stability('CLINC150', DRAWS, (random) => drawLabels(intents, 6 + Math.floor(9 * random()), random))
}
daily('generated', PER_DAY, 4, generatedTopics)
stability('generated', quick ? 2 : 4, (random) =>
  Array.from({ length: 5 + Math.floor(6 * random()) }, (_, topic) =>
    generateTopic(topic, quick ? 100 : 150, random),
  ).flat(),
)
report.end()

function stability(name: string, draws: number, draw: (random: () => number) => LabelledTrace[]): void {
  const projects = Array.from({ length: draws }, (_, index) => {
    const seed = firstSeed + index
    const random = createRandom(seed)
    return { seed, traces: shuffled(draw(random), random) }
  })
  repeats(name, projects)
  windows(name, projects, 'kept while it fits')
  windows(name, projects, 'refitted')
  for (const basis of BASES) newTopics(name, projects, basis)
}

/** The default schedule: windows of a day every day, which have no trace in common. */
function daily(
  name: string,
  perDay: readonly number[],
  days: number,
  draw: (count: number, random: () => number) => TopicSource[],
): void {
  for (const traces of perDay) {
    const seeds = Array.from(
      { length: Math.max(2, Math.round((DRAWS * 100) / traces)) },
      (_, index) => firstSeed + index,
    )
    const daysWith = (thresholds: IdentityThresholds) =>
      seeds.map((seed) => stationaryDays(draw(TOPICS, createRandom(seed)), traces, days, thresholds))
    const stayed = daysWith(IDENTITY_THRESHOLDS)
    const shareKept = (of: typeof stayed) => (100 * sumOf(of, 'kept')) / sumOf(of, 'ids')
    const createdARun = (of: typeof stayed) => sumOf(of, 'created') / (seeds.length * (days - 1))
    const without = daysWith(WITHOUT_REFUSED_GAIN)
    report.atLeast(`${name}, ${traces} a day: ids kept`, shareKept(stayed), 95, '%')
    report.atMost(`${name}, ${traces} a day: created`, createdARun(stayed), 0.3, 'a run')
    report.figure(
      `${name}, ${traces} a day, without the refused gain`,
      `${createdARun(without).toFixed(2)} created a run, ${shareKept(without).toFixed(1)} % of ids kept`,
    )
    const left = seeds.map((seed) => replacedTopics(draw(TOPICS + REPLACED, createRandom(seed)), traces, REPLACED))
    const falselyKept = (100 * sumOf(left, 'kept')) / sumOf(left, 'ids')
    report.atMost(`${name}, ${traces} a day, 3 of 10 topics replaced: ids kept falsely`, falselyKept, 10, '%')
  }
}

function sumOf<Key extends string>(results: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return results.reduce((sum, result) => sum + result[key], 0)
}

interface Drawn {
  readonly seed: number
  readonly traces: readonly ProjectTrace[]
}

function repeats(name: string, projects: readonly Drawn[]): void {
  const repeated = projects.map(({ seed, traces }) => {
    const project = new ClusterProject(traces)
    const first = project.run(traces, seed)
    const again = project.run(traces, seed + 1000)
    return { kept: keptShare(first, again), events: again.discovery.changes.length }
  })
  report.atLeast(`${name}, same traces, other seed: ids kept`, 100 * mean(repeated.map(({ kept }) => kept)), 100, '%')
  report.atMost(`${name}, same traces, other seed: events`, mean(repeated.map(({ events }) => events)), 0, 'a run')
}

/**
 * Windows of two thirds of the traces, each moved by a quarter of its size: 75 % are in the next one too; they wrap
 * around.
 */
function windows(name: string, projects: readonly Drawn[], basis: (typeof BASES)[number]): void {
  const steps = projects.flatMap(({ seed, traces }) => {
    const size = Math.floor((2 * traces.length) / 3)
    const project = new ClusterProject(traces.slice(0, size))
    let last: ClusterRun | null = null
    return Array.from({ length: WINDOWS }, (_, step) => {
      const from = Math.floor((step * size) / 4)
      const window = Array.from({ length: size }, (_unused, index) => traces[(from + index) % traces.length]!)
      if (basis === 'kept while it fits') project.refitIfUnfamiliar(window)
      else if (last !== null) project.refit([...new Set([...last.traces, ...window])])
      const run = project.run(window, seed + step)
      const before = last
      last = run
      return before === null ? [] : [{ before, run }]
    }).flat()
  })
  const title = `${name}, 75 % the same, basis ${basis}`
  const count = (kind: string) =>
    mean(steps.map(({ run }) => run.discovery.changes.filter((change) => change.kind === kind).length))
  const clusters = mean(steps.map(({ before }) => before.ids.length))
  const kept = mean(steps.map(({ before, run }) => keptShare(before, run)))
  report.atLeast(`${title}: ids kept`, 100 * kept, 98, '%', `${steps.length} runs`)
  report.atMost(`${title}: shifted`, (100 * count('shifted')) / clusters, 3, '%')
  report.atMost(`${title}: created`, count('created'), 0.1, 'a run')
  const moves = steps.map(({ before, run }) => moveOnMap(before, run))
  report.figure(`${title}: traces of both moved on a map 2 wide`, `${mean(moves).toFixed(3)} in the mean`)
}

function moveOnMap(before: ClusterRun, after: ClusterRun): number {
  const indexes = new Map(before.traces.map(({ id }, index) => [id, index]))
  const placeOf = ({ discovery }: ClusterRun, index: number): readonly [number, number] => [
    discovery.map.positions[2 * index]!,
    discovery.map.positions[2 * index + 1]!,
  ]
  return mean(
    after.traces.flatMap(({ id }, index) => {
      const then = indexes.get(id)
      if (then === undefined) return []
      const [thenX, thenY] = placeOf(before, then)
      const [nowX, nowY] = placeOf(after, index)
      return [Math.hypot(nowX - thenX, nowY - thenY)]
    }),
  )
}

/** One topic vanishes while another, 8 % of the new window, appears. */
function newTopics(name: string, projects: readonly Drawn[], basis: (typeof BASES)[number]): void {
  const results = projects.map(({ seed, traces }) => {
    const labels = [...new Set(traces.map(({ label }) => label))]
    const [coming, going] = labels as [string, string]
    const old = traces.filter(({ label }) => label !== coming)
    const size = Math.floor(0.8 * old.length)
    const first = old.slice(0, size)
    const rest = old.slice(-size).filter(({ label }) => label !== going)
    const fresh = traces
      .filter(({ label }) => label === coming)
      .slice(0, Math.round((NEW_SHARE * rest.length) / (1 - NEW_SHARE)))
    const second = [...rest, ...fresh]
    const project = new ClusterProject(first)
    const before = project.run(first, seed)
    if (basis === 'kept while it fits') project.refitIfUnfamiliar(second)
    else project.refit([...new Set([...first, ...second])])
    const run = project.run(second, seed + 1)
    const created = run.discovery.changes.filter(({ kind }) => kind === 'created').map(({ cluster }) => cluster)
    const best = Math.max(0, ...created.map((cluster) => recallTimesPrecision(run, cluster, coming)))
    return {
      created: created.length,
      best,
      cold: coldScore(second, coming, seed),
      stolen: gaveAway(before, run, going),
    }
  })
  const title = `${name}, topic of 8 %, basis ${basis}`
  const one = results.filter(({ created }) => created === 1)
  const share = (100 * one.length) / results.length
  const score = one.length === 0 ? 0 : mean(one.map(({ best }) => best))
  const remark = `cold at the true k ${mean(results.map(({ cold }) => cold)).toFixed(2)}`
  report.atLeast(`${title}: exactly one created`, share, 97, '%', createdCounts(results))
  report.atLeast(`${title}: recall × precision`, score, 0.75, '', remark)
  report.atMost(`${title}: ids given to another`, results.filter(({ stolen }) => stolen).length, 0)
}

function createdCounts(results: readonly { readonly created: number }[]): string {
  const count = (least: number, most: number) =>
    results.filter(({ created }) => created >= least && created <= most).length
  return `none ${count(0, 0)}, one ${count(1, 1)}, more ${count(2, Infinity)}`
}

/** Whether the id of a cluster that was mostly the vanished topic passed to a cluster of other traces. */
function gaveAway(before: ClusterRun, after: ClusterRun, going: string): boolean {
  return before.ids.some((id, cluster) => {
    const now = after.ids.indexOf(id)
    return now >= 0 && purity(before, cluster, going) > 0.5 && purity(after, now, going) < 0.5
  })
}

function purity({ discovery, traces }: ClusterRun, cluster: number, label: string): number {
  const members = traces.filter((_, index) => discovery.assignments[index] === cluster)
  return members.filter((trace) => trace.label === label).length / Math.max(1, members.length)
}

function coldScore(traces: readonly ProjectTrace[], label: string, seed: number): number {
  const sorted = traces.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const points = embedTraces(sorted.length, (index) => sorted[index]!.features, 256, createRandom(seed))
  const k = new Set(traces.map((trace) => trace.label)).size
  const partition = sphericalKMeans(points, seedCentroids(points, k, createRandom(seed)))
  const scores = Array.from({ length: partition.k }, (_, cluster) => {
    const members = sorted.filter((_unused, index) => partition.assignments[index] === cluster)
    const hits = members.filter((trace) => trace.label === label).length
    return (hits / Math.max(1, members.length)) * (hits / traces.filter((trace) => trace.label === label).length)
  })
  return Math.max(...scores)
}

function keptShare(before: ClusterRun, after: ClusterRun): number {
  return before.ids.filter((id) => after.ids.includes(id)).length / before.ids.length
}

function shuffled(traces: readonly LabelledTrace[], random: () => number): ProjectTrace[] {
  return traces
    .map((trace, index) => ({ by: random(), trace, index }))
    .sort((a, b) => a.by - b.by || a.index - b.index)
    .map(({ trace }, index) => Object.assign({}, trace, { id: `tr_${String(index).padStart(6, '0')}` }))
}
