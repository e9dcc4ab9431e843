import { assignNew, reachesOf } from '../../../packages/clustering/src/assign-new.ts'
import { fitBasis } from '../../../packages/clustering/src/embedding/fit-basis.ts'
import { projectAll } from '../../../packages/clustering/src/embedding/project.ts'
import { nameClusters } from '../../../packages/clustering/src/naming/name-clusters.ts'
import { findPersonalWords } from '../../../packages/clustering/src/naming/personal-words.ts'
import { assignToNearest } from '../../../packages/clustering/src/partition/assign-to-nearest.ts'
import { chooseK } from '../../../packages/clustering/src/partition/choose-k.ts'
import { createRandom } from '../../../packages/clustering/src/partition/seeded-random.ts'
import { seedCentroids } from '../../../packages/clustering/src/partition/seed-centroids.ts'
import { sphericalKMeans } from '../../../packages/clustering/src/partition/spherical-k-means.ts'
import { featuresOf } from '../../../packages/clustering/src/text/features.ts'
import { textOf, type TraceText } from '../../../packages/clustering/src/text/trace-text.ts'
import { asked, drawLabels, featured, type LabelledText, type LabelledTrace } from './labelled-traces.ts'
import { embedTraces } from './embed-traces.ts'
import { vMeasure } from './v-measure.ts'

const RANK = 256
const TOPICS = 6
const TRACES_OF_TOPIC = 30

/** V at the true k of made traces whose topics differ in one thing alone. */
export function vOfMade(of: (topic: number, random: () => number) => TraceText, seed: number): number {
  const random = createRandom(seed)
  const traces = Array.from({ length: TOPICS * TRACES_OF_TOPIC }, (_, n) => {
    const label = String(n % TOPICS)
    return { label, features: featuresOf(of(n % TOPICS, random)) }
  })
  const vectors = embedTraces(traces.length, (at) => traces[at]!.features, RANK, createRandom(seed))
  const { assignments } = sphericalKMeans(vectors, seedCentroids(vectors, TOPICS, createRandom(seed)))
  const labels = traces.map(({ label }) => label)
  return vMeasure(labels, assignments)
}

const pick = <T>(from: readonly T[], random: () => number): T => from[Math.floor(from.length * random())]!
const several = <T>(from: readonly T[], count: number, random: () => number) =>
  Array.from({ length: count }, () => pick(from, random))

/** Made words of a script: half of a request's are those of its topic. */
function wordsOf(first: number, letters: number, topic: number): readonly string[] {
  const random = createRandom(topic + first)
  const word = () => String.fromCodePoint(...Array.from({ length: 3 }, () => first + Math.floor(letters * random())))
  return Array.from({ length: 20 }, word)
}

const scripted = (first: number, letters: number, space: string) => (topic: number, random: () => number) => {
  const own = several(wordsOf(first, letters, topic + 1), 6, random)
  const shared = several(wordsOf(first, letters, 0), 6, random)
  return textOf([asked(own.flatMap((word, at) => [word, shared[at]!]).join(space))])
}

const SAME = 'please take care of this for me today'
const TOOLS = ['search', 'book', 'cancel', 'refund', 'upgrade', 'notify']
/** Two of three calls are of the topic's tool. */
const called = (topic: number, random: () => number) => several([TOOLS[topic]!, TOOLS[topic]!, 'look_up'], 6, random)
const call = (tool: string) => ({ ...asked(SAME), name: tool, type: 'tool', tools: [tool], messages: [] })

/** By what the topics of a shape differ. */
export const SHAPES: Readonly<Record<string, (topic: number, random: () => number) => TraceText>> = {
  'words of Han characters': scripted(0x4e00, 800, ''),
  'words of Arabic letters': scripted(0x0627, 28, ' '),
  'the tools that are called': (topic, random) => textOf([asked(SAME), ...called(topic, random).map(call)]),
  'calls inside messages': (topic, random) => textOf([{ ...asked(SAME), tools: called(topic, random) }]),
  'the names of traces': (topic, random) =>
    textOf([], { input: null, name: `${TOOLS[topic]!} job ${Math.floor(1000 * random())}` }),
  'an input that the project names': (topic, random) => {
    const input = several(wordsOf(0x61, 26, topic + 1), 5, random).join(' ')
    return textOf([asked(several(wordsOf(0x61, 26, 0), 20, random).join(' '))], { input, name: '' })
  },
}

/** Shares of traces that fit no cluster, of the topics that the run had and of others. */
export function unknownTopics(texts: readonly LabelledText[], seed: number): { known: number; others: number } {
  const drawn = drawLabels(texts, 20, createRandom(seed))
  const labels = [...new Set(drawn.map(({ label }) => label))]
  const isKnown = new Set(labels.slice(0, 10))
  const isOfRun = (at: number) => at % 3 !== 0
  const all = drawn.map(featured)
  const run = all.filter(({ label }, at) => isKnown.has(label) && isOfRun(at))
  const later = all.filter(({ label }, at) => !isKnown.has(label) || !isOfRun(at))
  const basis = fitBasis(
    run.map(({ features }) => features),
    { rank: RANK, random: createRandom(seed) },
  )
  const project = (traces: readonly LabelledTrace[]) => projectAll(basis, traces.length, (at) => traces[at]!.features)
  const points = project(run)
  const { centroids } = sphericalKMeans(points, seedCentroids(points, 10, createRandom(seed)))
  const { assignments, cosines } = assignToNearest(points, centroids)
  const found = assignNew(project(later), centroids, reachesOf(assignments, cosines, 10))
  const shareOf = (known: boolean) => {
    const own = later.flatMap(({ label }, at) => (isKnown.has(label) === known ? [found[at]!] : []))
    return own.filter((cluster) => cluster === -1).length / own.length
  }
  return { known: shareOf(true), others: shareOf(false) }
}

/** A line for each cluster, to be read: how many traces, the most frequent topic with its share, and the name. */
export function tableOfNames(texts: readonly LabelledText[], topics: number, seed: number): readonly string[] {
  const drawn = drawLabels(texts, topics, createRandom(seed))
  const read = drawn.map(({ label, text }) => ({ label, text: textOf([asked(text)]) }))
  const vectors = embedTraces(read.length, (at) => featuresOf(read[at]!.text), RANK, createRandom(seed))
  const { assignments } = chooseK(vectors, { kMin: 2, kMax: 20, random: createRandom(seed) })
  const clusters = [...Map.groupBy(read, (_, at) => assignments[at]!).values()]
  const samples = clusters.map((members) => ({ texts: members.map(({ text }) => text), previous: null }))
  const names = nameClusters(samples, findPersonalWords(samples.map((sample) => sample.texts)), new Set())
  return clusters.map((members, at) => {
    const [label, own] = [...Map.groupBy(members, (one) => one.label)].toSorted((a, b) => b[1].length - a[1].length)[0]!
    const share = Math.round((100 * own.length) / members.length)
    return `${String(members.length).padStart(4)} traces, ${share} % ${label}: ${names[at]!.label}`
  })
}
