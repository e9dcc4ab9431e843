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
import { embedTraces } from './lib/clusters/embed-traces.ts'
import { generateTopic } from './lib/clusters/generated-topics.ts'
import { drawLabels, featured, readIntentTexts, type LabelledTrace } from './lib/clusters/labelled-traces.ts'
import { replacedTopics, stationaryDays } from './lib/clusters/daily-ids.ts'
import {
  drawnOf,
  keptShare,
  moveOnMap,
  movingWindows,
  newTopics,
  repeatedRun,
  type BasisUse,
  type Drawn,
  type NewTopicResult,
} from './lib/clusters/scenarios.ts'
import { generatedTopics, intentsOnce, intentsRecombined, type TopicSource } from './lib/archives/day-stream.ts'
import { readOptions } from './lib/options.ts'
import { mean } from './lib/percentile.ts'
import { Report } from './lib/report.ts'

const { quick, from: firstSeed } = readOptions()
const DRAWS = quick ? 8 : 40
const BASES: readonly BasisUse[] = ['kept', 'refitted']
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
  const projects = Array.from({ length: draws }, (_, index) => drawnOf(firstSeed + index, draw))
  const repeated = projects.map(repeatedRun)
  report.atLeast(`${name}, same traces, other seed: ids kept`, 100 * mean(repeated.map(({ kept }) => kept)), 100, '%')
  report.atMost(`${name}, same traces, other seed: events`, mean(repeated.map(({ events }) => events)), 0, 'a run')
  for (const basis of BASES) windows(name, projects, basis)
  for (const basis of BASES) reportedTopics(name, projects, basis)
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

function windows(name: string, projects: readonly Drawn[], basis: BasisUse): void {
  const steps = projects.flatMap((drawn) => movingWindows(drawn, basis))
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

/** One topic vanishes while another appears. */
function reportedTopics(name: string, projects: readonly Drawn[], basis: BasisUse): void {
  const results = projects.map((drawn) => ({ ...newTopics(drawn, basis), seed: drawn.seed }))
  const title = `${name}, topic of 8 %, basis ${basis}`
  const one = results.filter(({ created }) => created === 1)
  const share = (100 * one.length) / results.length
  const score = one.length === 0 ? 0 : mean(one.map(({ best }) => best))
  const remark = `cold at the true k ${mean(results.map(coldScore)).toFixed(2)}`
  report.atLeast(`${title}: exactly one created`, share, 97, '%', createdCounts(results))
  report.atLeast(`${title}: recall × precision`, score, 0.75, '', remark)
  report.atMost(`${title}: ids given to another`, results.filter(({ isStolen }) => isStolen).length, 0)
}

function createdCounts(results: readonly { readonly created: number }[]): string {
  const count = (least: number, most: number) =>
    results.filter(({ created }) => created >= least && created <= most).length
  return `none ${count(0, 0)}, one ${count(1, 1)}, more ${count(2, Infinity)}`
}

function coldScore({ window: traces, label, seed }: NewTopicResult & Pick<Drawn, 'seed'>): number {
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
