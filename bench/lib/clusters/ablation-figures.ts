import { assignNew } from '../../../packages/clustering/src/assign-new.ts'
import { chooseRepresentatives } from '../../../packages/clustering/src/choose-representatives.ts'
import { discover } from '../../../packages/clustering/src/discover.ts'
import { evaluateFailures } from '../../../packages/clustering/src/evaluate-failures.ts'
import { pickRows, type Matrix } from '../../../packages/clustering/src/matrix.ts'
import { nameClusters, type NamingSample } from '../../../packages/clustering/src/naming/name-clusters.ts'
import { findPersonalWords } from '../../../packages/clustering/src/naming/personal-words.ts'
import { partsOf } from '../../../packages/clustering/src/partition/parts-of.ts'
import { seedCentroids } from '../../../packages/clustering/src/partition/seed-centroids.ts'
import { createRandom } from '../../../packages/clustering/src/partition/seeded-random.ts'
import { sphericalKMeans } from '../../../packages/clustering/src/partition/spherical-k-means.ts'
import { intentsOnce, intentsRecombined } from '../archives/day-stream.ts'
import { mean } from '../percentile.ts'
import { ClusterProject, type ClusterRun, type ProjectTrace } from './cluster-project.ts'
import { replacedTopics, stationaryDays } from './daily-ids.ts'
import { embedTraces } from './embed-traces.ts'
import {
  drawLabels,
  featured,
  readAirlineRuns,
  readIntentTexts,
  type LabelledText,
  type LabelledTrace,
} from './labelled-traces.ts'
import { drawnOf, keptShare, moveOnMap, movingWindows, newTopics, repeatedRun } from './scenarios.ts'
import { vMeasure } from './v-measure.ts'

const RANK = 256
const texts = readIntentTexts() ?? []
const intents = texts.map(featured)
const runs = readAirlineRuns() ?? []

/**
 * Figures of one draw of 6 to 14 intents, by name; each name says what is good. Only those that code in these files of
 * the package can change.
 */
export function figuresOf(seed: number, paths: readonly string[]): Record<string, number> {
  const draw = <T extends { readonly label: string }>(all: readonly T[]): T[] => {
    const random = createRandom(seed)
    return drawLabels(all, 6 + Math.floor(9 * random()), random)
  }
  const only = (pattern: RegExp) => paths.length > 0 && paths.every((path) => pattern.test(path))
  if (only(/^naming/)) return names(seed, draw(texts))
  if (only(/failures/)) return failures(seed)
  if (only(/parts-of|representatives/)) return parts(seed, draw(intents))
  if (only(/^identity|^discover/)) return { ...laterRuns(seed, () => draw(intents)), ...days(seed) }
  return {
    ...grouping(seed, drawnOf(seed, () => draw(intents)).traces),
    ...laterRuns(seed, () => draw(intents)),
    ...days(seed),
    ...parts(seed, draw(intents)),
    ...names(seed, draw(texts)),
    ...failures(seed),
  }
}

function grouping(seed: number, traces: readonly ProjectTrace[]): Record<string, number> {
  const points = embed(traces, seed)
  const cold = (kMax: number) => discover({ ...requestOf(points), previous: null, kMin: 2, kMax, seed })!
  const [few, many] = [cold(12), cold(30)]
  const known = traces.length * 0.8
  const main = labelsOf(traces)[0]!
  const project = new ClusterProject(traces.filter(({ label }) => label !== main))
  const old = traces.filter(({ label }, index) => label !== main && index < known)
  const { discovery } = project.run(old, seed)
  const later = project.embed(traces.filter(({ label }, index) => label === main || index >= known))
  const reaches = Float32Array.from(discovery.clusters, ({ reach }) => reach)
  const assigned = assignNew(later.points, discovery.centroids, reaches)
  const isStranger = later.traceIds.map((id) => traces.find((trace) => trace.id === id)!.label === main)
  const joined = (of: boolean) =>
    mean([...assigned].flatMap((cluster, index) => (isStranger[index] === of ? [cluster < 0 ? 0 : 1] : [])))
  return {
    'V at the true k': atTrueK(traces, points, seed),
    'V at the true k, airline': atTrueK(runs, embed(runs, seed), seed),
    'V at k of 2 to 12': vMeasure(labelsOf(traces), few.assignments),
    'V at k of 2 to 30': vMeasure(labelsOf(traces), many.assignments),
    'k of 2 to 30 is off by': Math.abs(many.clusters.length - new Set(labelsOf(traces)).size),
    'map: neighbours of one topic': neighbours(traces, few.map.positions),
    'later traces that join a cluster': joined(false),
    'strangers that join a cluster': joined(true),
  }
}

function laterRuns(seed: number, draw: () => readonly LabelledTrace[]): Record<string, number> {
  const drawn = drawnOf(seed, draw)
  const repeated = repeatedRun(drawn)
  const kept = movingWindows(drawn, 'kept')
  const refitted = movingWindows(drawn, 'refitted')
  const one = newTopics(drawn, 'kept')
  const two = newTopics(drawn, 'kept', 2)
  const full = newTopics(drawn, 'kept', 1, 5)
  const project = new ClusterProject(drawn.traces.slice(0, 40))
  project.run(drawn.traces.slice(0, 40), seed)
  project.refit(drawn.traces)
  const grown = project.run(drawn.traces, seed)
  const events = (steps: typeof kept, wanted: string) =>
    mean(steps.map(({ run }) => run.discovery.changes.filter(({ kind }) => kind === wanted).length))
  const topics = new Set(labelsOf(drawn.traces)).size
  return {
    'same traces: ids kept': repeated.kept,
    'same traces: events': repeated.events,
    '75 % the same: ids kept': mean(kept.map(({ before, run }) => keptShare(before, run))),
    '75 % the same: shifted': events(kept, 'shifted'),
    '75 % the same: created': events(kept, 'created'),
    '75 % the same: V': mean(kept.map(({ run }) => vOf(run))),
    '75 % the same: moved on the map': mean(kept.map(({ before, run }) => moveOnMap(before, run))),
    'fitted again: ids kept': mean(refitted.map(({ before, run }) => keptShare(before, run))),
    'fitted again: created': events(refitted, 'created'),
    'fitted again: moved on the map': mean(refitted.map(({ before, run }) => moveOnMap(before, run))),
    'new topic: one created': one.created === 1 ? 1 : 0,
    'new topic: recall × precision': one.best,
    'new topic: id of another': one.isStolen ? 1 : 0,
    'two new topics: two created': two.created === 2 ? 1 : 0,
    'new topic at k_max 5: recall × precision': full.best,
    'ten times the traces: V': vOf(grown),
    'ten times the traces: k is off by': Math.abs(grown.ids.length - Math.min(12, topics)),
  }
}

function days(seed: number): Record<string, number> {
  const once = stationaryDays(intentsOnce(texts, 10, createRandom(seed)), 150, 2)
  const recombined = stationaryDays(intentsRecombined(texts, 10, createRandom(seed)), 250, 3)
  const replaced = replacedTopics(intentsOnce(texts, 13, createRandom(seed)), 150, 3)
  return {
    'days: ids kept': once.kept / once.ids,
    'days: created': once.created,
    'days, recombined: ids kept': recombined.kept / recombined.ids,
    'days, recombined: created': recombined.created / 2,
    'days, 3 of 10 replaced: new ones found': replaced.found / 3,
    'days, 3 of 10 replaced: ids kept falsely': replaced.kept / Math.max(1, replaced.ids),
  }
}

/** Two intents as one cluster are mixed, one intent is not. */
function parts(seed: number, traces: readonly { readonly label: string; readonly features: never }[] | typeof intents) {
  const points = embed(traces, seed)
  const labels = [...new Set(labelsOf(traces))]
  const membersOf = (...of: readonly (string | undefined)[]) =>
    Uint32Array.from([...traces.keys()].filter((index) => of.includes(traces[index]!.label)))
  const pairs = labels.slice(1).map((label, index) => membersOf(labels[index], label))
  const split = pairs.map((members) => partsOf(points, members))
  const firstTwo = pairs.map((_, index) => {
    const chosen = chooseRepresentatives(points, split[index]!, new Float32Array(points.rows).fill(0.5))
    return new Set(chosen.slice(0, 2).map(({ point }) => traces[point]!.label)).size === 2 ? 1 : 0
  })
  const alone = labels.map((label) => partsOf(points, membersOf(label)).length - 1)
  return {
    'two intents: mixed': mean(split.map((found) => found.length - 1)),
    'two intents: both represented': mean(firstTwo),
    'one intent: mixed': mean(alone),
  }
}

const PERSONS = 'Mia Rossi,Jonas Weber,Aylin Kaya,Pedro Alves,Chloe Martin,Ivan Petrov,Nora Lind,Omar Haddad'.split(',')
const INTRODUCTIONS = [
  "I'm NAME. ",
  'My name is NAME, ',
  'hi, this is NAME here, ',
  'for NAME: ',
  'mail_of NAME@example.org ',
]

/** Names of intents by their requests: of two halves, and of requests that contain persons and a product. */
function names(seed: number, traces: readonly LabelledText[]): Record<string, number> {
  const random = createRandom(seed)
  const labels = [...new Set(labelsOf(traces))]
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!
  const sampled = (half: number, write: (text: string, topic: number) => string): NamingSample[] =>
    labels.map((label, topic) => ({
      texts: traces
        .filter((trace, index) => trace.label === label && (half < 0 || index % 2 === half))
        .map(({ text }) => ({ asked: [write(text, topic)], done: [] })),
      previous: null,
    }))
  const named = (samples: readonly NamingSample[], former: readonly string[] = []) =>
    nameClusters(samples, findPersonalWords(samples.map((sample) => sample.texts)), new Set(former))
  const first = named(sampled(0, (text) => text))
  const before = first.map(({ label }) => label)
  const again = named(
    sampled(1, (text) => text).map((one, index) => Object.assign(one, { previous: first[index]! })),
    before,
  )
  const people = labels.map(() => [pick(PERSONS), pick(PERSONS)])
  const withPeople = named(
    sampled(-1, (text, topic) => {
      const person = random() < 0.6 ? pick(INTRODUCTIONS).replace('NAME', pick(people[topic]!)) : ''
      return `${person}${text}${random() < 0.8 ? ' with Nimbus' : ''}`
    }).map((sample, topic) =>
      topic === 0 ? sample : Object.assign(sample, { texts: sample.texts.map(withoutProduct) }),
    ),
  )
  const words = ({ label, keywords }: (typeof first)[number]) => [label, ...keywords].join(' ').toLowerCase()
  const isFit = ({ label }: (typeof first)[number], topic: number) => {
    const starts = new Set(labels[topic]!.split('_').map((word) => word.slice(0, 4)))
    return label.split(/[^a-z]+/).some((word) => starts.has(word.slice(0, 4))) ? 1 : 0
  }
  const holdsName = (text: string) =>
    PERSONS.join(' ')
      .toLowerCase()
      .split(' ')
      .some((name) => text.includes(name))
  return {
    'names with a word of the intent': mean([...first, ...again].map((name, at) => isFit(name, at % labels.length))),
    'names kept by the next run': mean(again.map(({ label }, index) => (label === before[index] ? 1 : 0))),
    'labels with a word of another': sharedWords(first.map(({ label }) => label)),
    'names of persons in names': mean(withPeople.map((name) => (holdsName(words(name)) ? 1 : 0))),
    'a product names its cluster': words(withPeople[0]!).includes('nimbus') ? 1 : 0,
  }
}

function withoutProduct({ asked, done }: NamingSample['texts'][number]): NamingSample['texts'][number] {
  return { asked: asked.map((text) => text.replace(' with Nimbus', '')), done }
}

function sharedWords(labels: readonly string[]): number {
  const words = labels.map((label) => label.split(/[ ·]+/))
  return mean(
    words.map((own, at) => (own.some((word) => words.some((other, to) => to !== at && other.includes(word))) ? 1 : 0)),
  )
}

/** Clusters of 8 to 60 traces beside 400: a fifth fails, or half in the cluster. */
function failures(seed: number): Record<string, number> {
  const random = createRandom(seed)
  const coloured = (share: number) =>
    mean(
      Array.from({ length: 200 }, () => {
        const traces = 8 + Math.floor(53 * random())
        const failed = Array.from({ length: traces }).filter(() => random() < share).length
        return evaluateFailures({ traces, failed }, { traces: 400, failed: 80 }).color === 'fail' ? 1 : 0
      }),
    )
  return { 'coloured falsely': coloured(0.2), 'coloured where half fails': coloured(0.5) }
}

function embed(traces: readonly { readonly features: (typeof intents)[number]['features'] }[], seed: number): Matrix {
  return embedTraces(traces.length, (index) => traces[index]!.features, RANK, createRandom(seed))
}

function requestOf(points: Matrix) {
  const traceIds = Array.from({ length: points.rows }, (_, index) => `tr_${String(index).padStart(6, '0')}`)
  return { points: pickRows(points, Uint32Array.from(traceIds.keys())), traceIds, embedderVersion: 'one' }
}

function atTrueK(traces: readonly { readonly label: string }[], points: Matrix, seed: number): number {
  const start = seedCentroids(points, new Set(labelsOf(traces)).size, createRandom(seed))
  return vMeasure(labelsOf(traces), sphericalKMeans(points, start).assignments)
}

function labelsOf(traces: readonly { readonly label: string }[]): string[] {
  return traces.map(({ label }) => label)
}

function vOf({ discovery, traces }: ClusterRun): number {
  return vMeasure(labelsOf(traces), discovery.assignments)
}

/** Share of the traces whose nearest neighbour on the map has their label. */
function neighbours(traces: readonly { readonly label: string }[], positions: Float32Array): number {
  const distance = (a: number, b: number) =>
    Math.hypot(positions[2 * a]! - positions[2 * b]!, positions[2 * a + 1]! - positions[2 * b + 1]!)
  return mean(
    traces.map(({ label }, index) => {
      const others = [...traces.keys()].filter((other) => other !== index)
      const nearest = others.reduce((best, other) => (distance(index, other) < distance(index, best) ? other : best))
      return traces[nearest]!.label === label ? 1 : 0
    }),
  )
}
