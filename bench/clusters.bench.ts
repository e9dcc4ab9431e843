/**
 * How well the built-in embedding and the clustering group traces, and their cost.
 *
 *     node bench/clusters.bench.ts [--quick]
 */
import { chooseK } from '../packages/clustering/src/partition/choose-k.ts'
import { createRandom, sampleIndexes } from '../packages/clustering/src/partition/seeded-random.ts'
import { seedCentroids } from '../packages/clustering/src/partition/seed-centroids.ts'
import { sphericalKMeans } from '../packages/clustering/src/partition/spherical-k-means.ts'
import type { Matrix } from '../packages/clustering/src/matrix.ts'
import { measureCost } from './lib/clusters/cluster-cost.ts'
import { embedTraces } from './lib/clusters/embed-traces.ts'
import { smallBesideGiant } from './lib/clusters/giant-topic.ts'
import { intentsRecombined } from './lib/archives/day-stream.ts'
import {
  drawLabels,
  featured,
  readAirlineRuns,
  readIntents,
  readIntentsBehindPolicy,
  readIntentTexts,
  type LabelledText,
  type LabelledTrace,
} from './lib/clusters/labelled-traces.ts'
import { SHAPES, tableOfNames, unknownTopics, vOfMade } from './lib/clusters/more-shapes.ts'
import { risingTopic } from './lib/clusters/rising-topics.ts'
import { readOptions } from './lib/options.ts'
import { mean } from './lib/percentile.ts'
import { Report } from './lib/report.ts'
import { vMeasure } from './lib/clusters/v-measure.ts'

const RANK = 256
const PER_DAY = 400
/** Of a long text. */
const NOISE_WORDS = 300
const { quick } = readOptions()
const report = new Report('clusters')
const intents = readIntents()
const runs = readAirlineRuns()
if (intents === null || runs === null) report.figure('quality', 'left out: there is no ../shared/data')
else {
  quality('CLINC150, V at the true k', intents, quick ? 2 : 5, 0.77)
  quality('CLINC150 behind a policy', readIntentsBehindPolicy(true)!, quick ? 2 : 5, 0.77)
  quality('the same, the policy unknown', readIntentsBehindPolicy(false)!, quick ? 2 : 5, 0)
  quality('airline runs by task, V at the true k', runs, quick ? 3 : 10, 0.94)
  automaticK(intents, quick ? 10 : 40)
  smallWindows(intents, quick ? 10 : 40)
  longTexts(readIntentTexts()!, quick ? 5 : 20)
  for (const common of [0, 0.75]) risingTopics(readIntentTexts()!, quick ? 6 : 20, common)
  unknown(readIntentTexts()!, quick ? 3 : 10)
  for (const line of tableOfNames(readIntentTexts()!, 12, 1)) report.figure('', line)
}
for (const [name, made] of Object.entries(SHAPES)) {
  const values = Array.from({ length: quick ? 2 : 5 }, (_, seed) => vOfMade(made, seed))
  report.atLeast(`made topics by ${name}, V at the true k`, mean(values), 0.9, '', spread(values))
}
giantTopic(quick ? 4 : 10)
await cost('10,000 × 256, k = 2 to 12', { kind: 'points', count: 10_000, dimensions: 256 }, 8, 120)
if (!quick) await cost('100,000 short traces at 128', { kind: 'texts', count: 100_000, dimensions: 128 }, 30, 600)
report.end()

function quality(name: string, traces: readonly LabelledTrace[], seeds: number, limit: number): void {
  const values = Array.from({ length: seeds }, (_, seed) => atTrueK(traces, embed(traces, seed), seed))
  report.atLeast(name, mean(values), limit, '', `${seeds} seeds, ${spread(values)}`)
}

/** The best range of k is not known, so typical ranges of clients are evaluated. */
function automaticK(traces: readonly LabelledTrace[], subsets: number): void {
  const tried = Array.from({ length: subsets }, (_, seed) => {
    const random = createRandom(seed)
    const subset = drawLabels(traces, 3 + Math.floor(18 * random()), random)
    const vectors = embed(subset, seed)
    return { seed, subset, vectors, truth: mean([0, 1, 2].map((another) => atTrueK(subset, vectors, another))) }
  })
  for (const kMax of [12, 20, 30, 50]) {
    const results = tried.map(({ seed, subset, vectors, truth }) => {
      const partition = chooseK(vectors, { kMin: 2, kMax, random: createRandom(seed) })
      return {
        ratio: vMeasure(labelsOf(subset), partition.assignments) / truth,
        error: Math.abs(partition.k - countLabels(subset)),
      }
    })
    const ratios = results.map(({ ratio }) => ratio)
    const errors = mean(results.map(({ error }) => error))
    report.atLeast(
      `V at k chosen of 2 to ${kMax}, over V at the true`,
      mean(ratios),
      0.94,
      '',
      `${subsets} subsets, k off by ${errors.toFixed(1)}`,
    )
  }
}

/** 20 to 25 traces of three topics. */
function smallWindows(traces: readonly LabelledTrace[], draws: number): void {
  const tried = Array.from({ length: draws }, (_, seed) => {
    const all = drawLabels(traces, 3, createRandom(seed))
    const window = Array.from(sampleIndexes(all.length, 20 + (seed % 6), createRandom(seed)), (index) => all[index]!)
    const { k, assignments } = chooseK(embed(window, seed), { kMin: 2, kMax: 12, random: createRandom(seed) })
    return { k, v: vMeasure(labelsOf(window), assignments) }
  })
  const ks = tried.map(({ k }) => k)
  const range = `${draws} draws, k ${Math.min(...ks)} to ${Math.max(...ks)}`
  report.atMost('20 to 25 traces of three topics, mean k', mean(ks), 4, '', range)
  report.atLeast('20 to 25 traces of three topics, V', mean(tried.map(({ v }) => v)), 0.8, '', range)
}

/** One of ten topics rises to 9 % over six runs. */
function risingTopics(texts: readonly LabelledText[], draws: number, common: number): void {
  const drawn = Array.from({ length: draws }, (_, seed) =>
    risingTopic(intentsRecombined(texts, 10, createRandom(seed)), PER_DAY, common),
  )
  const title = `a topic that rises to 9 %, ${100 * common} % of windows in common`
  report.atLeast(`${title}: found`, mean(drawn.map(({ found }) => (found ? 1 : 0))), 0.8, '', `${draws} draws`)
  report.atMost(`${title}: other new clusters`, mean(drawn.map(({ others }) => others)), 1, 'in six runs')
}

/** Traces that arrive after a run of ten topics: those of ten others fit no cluster. */
function unknown(texts: readonly LabelledText[], draws: number): void {
  const drawn = Array.from({ length: draws }, (_, seed) => unknownTopics(texts, seed))
  const title = 'traces after a run that fit no cluster'
  report.atMost(`${title}, of its topics`, mean(drawn.map(({ known }) => known)), 0.1, '', `${draws} draws`)
  report.figure(`${title}, of others`, mean(drawn.map(({ others }) => others)).toFixed(2))
}

/** What a first run does not find beside a giant topic, splits of its clusters find in part. */
function giantTopic(draws: number): void {
  const drawn = Array.from({ length: draws }, (_, seed) => smallBesideGiant(seed))
  const title = 'four topics of 10 traces beside one of 900, recall × precision'
  report.figure(title, mean(drawn.map(({ found }) => found)).toFixed(2))
  report.atLeast(`${title} after splits`, mean(drawn.map(({ afterSplit }) => afterSplit)), 0.2, '', `${draws} draws`)
}

/** 20 groups of texts whose words are mostly about nothing: how many clusters are found. */
function longTexts(texts: readonly LabelledText[], draws: number): void {
  const words = texts.flatMap(({ text }) => text.split(' '))
  const ks = Array.from({ length: draws }, (_, seed) => {
    const random = createRandom(seed)
    const noise = () => Array.from({ length: NOISE_WORDS }, () => words[Math.floor(words.length * random())]).join(' ')
    const traces = drawLabels(texts, 20, random).map(({ label, text }) =>
      featured({ label, text: `${text} ${noise()}` }),
    )
    return chooseK(embed(traces, seed), { kMin: 2, kMax: 12, random: createRandom(seed) }).k
  })
  report.atLeast('long texts of 20 groups, k chosen of 2 to 12', Math.min(...ks), 3, '', `${draws} draws, the least`)
}

async function cost(
  name: string,
  job: Parameters<typeof measureCost>[0],
  seconds: number,
  memoryMb: number,
): Promise<void> {
  const result = await measureCost(job)
  report.atMost(`${name}: CPU`, result.cpuSeconds, seconds, 's', `k ${result.k}`)
  report.atMost(`${name}: memory`, result.memoryMb, memoryMb, 'MB')
}

function embed(traces: readonly LabelledTrace[], seed: number): Matrix {
  return embedTraces(traces.length, (index) => traces[index]!.features, RANK, createRandom(seed))
}

function atTrueK(traces: readonly LabelledTrace[], vectors: Matrix, seed: number): number {
  const start = seedCentroids(vectors, countLabels(traces), createRandom(seed))
  return vMeasure(labelsOf(traces), sphericalKMeans(vectors, start).assignments)
}

function labelsOf(traces: readonly LabelledTrace[]): string[] {
  return traces.map(({ label }) => label)
}

function countLabels(traces: readonly LabelledTrace[]): number {
  return new Set(labelsOf(traces)).size
}

function spread(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)}`
}
