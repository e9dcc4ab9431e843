import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRandom } from '../partition/seeded-random.ts'
import { rowOf, type Matrix } from '../matrix.ts'
import { decodeBasis, encodeBasis } from './basis-codec.ts'
import { EMBEDDER_VERSION, type Basis } from './basis.ts'
import { isUnfamiliar } from '../text/familiarity.ts'
import { featuresOf, type Features } from '../text/features.ts'
import { fitBasis } from './fit-basis.ts'
import { dimensionsOf, projectAll } from './project.ts'

const asking = (...asked: string[]): Features => featuresOf({ asked, done: ['call model', 'type:llm'] })
const TOPICS = [
  'cancel my flight to',
  'what is the weather in',
  'transfer money to an account in',
  'play some music from',
  'translate hello for',
]
const PLACES = ['Paris', 'Rome', 'Lima', 'Oslo', 'Cairo', 'Delhi', 'Quito', 'Seoul']
const REQUESTS = TOPICS.flatMap((topic) => PLACES.map((place) => asking(`${topic} ${place}`)))

const fit = (sample: readonly Features[], rank = 64): Basis => fitBasis(sample, { rank, random: createRandom(1) })
const embed = (sample: readonly Features[]): Matrix => projectAll(fit(sample), sample.length, (index) => sample[index]!)
function cosine(matrix: Matrix, a: number, b: number): number {
  return rowOf(matrix, a).reduce((sum, value, index) => sum + value * rowOf(matrix, b)[index]!, 0)
}
function assertUnit(matrix: Matrix): void {
  for (let row = 0; row < matrix.rows; row++) assert.ok(Math.abs(cosine(matrix, row, row) - 1) < 1e-5, `row ${row}`)
}

test('requests of one kind are near one another and far from others', () => {
  const vectors = embed(REQUESTS)
  assertUnit(vectors)
  let [within, between] = [0, 0]
  for (let a = 0; a < REQUESTS.length; a++) {
    for (let b = 0; b < a; b++) {
      if (Math.floor(a / 8) === Math.floor(b / 8)) within += cosine(vectors, a, b) / (5 * 28)
      else between += cosine(vectors, a, b) / (10 * 64)
    }
  }
  assert.ok(within > between + 0.5, `${within} within, ${between} between`)
})

test('the same sample and seed give the same bytes, and a stored basis gives the same vectors', () => {
  const basis = fit(REQUESTS)
  const bytes = encodeBasis(basis)
  assert.deepEqual(encodeBasis(fit(REQUESTS)), bytes)
  const stored = decodeBasis(bytes)!
  assert.deepEqual(stored, basis)
  const vectors = (of: Basis) => projectAll(of, REQUESTS.length, (index) => REQUESTS[index]!)
  assert.deepEqual(vectors(stored), vectors(basis))
})

test('a basis of another version or layout must be fitted again; cut bytes are refused', () => {
  const bytes = encodeBasis(fit(REQUESTS))
  assert.equal(decodeBasis(encodeBasis({ ...fit(REQUESTS), embedderVersion: `${EMBEDDER_VERSION}x` })), null)
  assert.throws(() => decodeBasis(bytes.slice(0, -1)))
  assert.throws(() => decodeBasis(Uint8Array.of(...bytes, 0)))
  assert.equal(decodeBasis(Uint8Array.of(...Buffer.from('SPE2'), ...bytes.slice(4))), null)
})

test('a window is unfamiliar when a share of it as large as a topic has words that the sample lacks', () => {
  const basis = fit(REQUESTS)
  const other = PLACES.map((place) => asking(`reset the password of this router near ${place}`))
  assert.ok(!isUnfamiliar(basis, []))
  assert.ok(!isUnfamiliar(basis, REQUESTS))
  assert.ok(!isUnfamiliar(basis, [...REQUESTS, ...other.slice(0, 3)]))
  assert.ok(isUnfamiliar(basis, [...REQUESTS, ...other.slice(0, 5)]))
  assert.ok(!isUnfamiliar(fit([...REQUESTS, ...other]), [...REQUESTS, ...other]))
})

const VERBS = 'book cancel change find move pay upgrade refund delay check split name'.split(' ')

test('a window is unfamiliar when a word rose from single traces to as many as make a topic', () => {
  const flights = PLACES.flatMap((place) => VERBS.map((verb) => asking(`${verb} the flight to ${place}`)))
  const miles = PLACES.map((place) => asking(`book the flight to ${place} with miles`))
  const basis = fit([...flights, ...miles.slice(0, 1)])
  assert.ok(!isUnfamiliar(basis, [...flights, ...miles.slice(0, 4)]))
  assert.ok(isUnfamiliar(basis, [...flights, ...miles.slice(0, 7)]))
  assert.ok(!isUnfamiliar(fit([...flights, ...miles]), [...flights, ...miles]))
})

test('traces without a word are never unfamiliar, nor is any trace to a basis of an empty sample', () => {
  const silent = Array.from({ length: 10 }, () => asking(''))
  assert.ok(!isUnfamiliar(fit(REQUESTS), silent))
  assert.ok(!isUnfamiliar(fit([]), REQUESTS))
})

test('few traces have few directions, never more than requested', () => {
  assert.ok(fit(REQUESTS).rank <= 16)
  assert.ok(fit(Array.from({ length: 20 }, () => REQUESTS).flat(), 30).rank <= 30)
})

describe('traces without a known feature are alike and unlike all others', () => {
  const texts = ['', ' \n\t', '?!…', '\u0000\uFFFF\uD800', 'Zzyzx']
  const sample = [...REQUESTS, ...texts.map((text) => featuresOf({ asked: [text], done: [] }))]
  const vectors = embed(sample)
  texts.forEach((text, index) => {
    test(JSON.stringify(text), () => {
      const row = REQUESTS.length + index
      assert.equal(cosine(vectors, row, REQUESTS.length), 1)
      assert.equal(cosine(vectors, row, 0), 0)
    })
  })
})

test('samples without differences are fitted: none, one, all the same, no word twice', () => {
  const samples = [
    [],
    [asking('hello')],
    Array.from({ length: 30 }, () => asking('hello there')),
    PLACES.map((place) => featuresOf({ asked: [place], done: [] })),
  ]
  for (const sample of samples) {
    const basis = fit(sample)
    const vectors = projectAll(basis, sample.length, (index) => sample[index]!)
    assert.equal(vectors.columns, dimensionsOf(basis))
    assertUnit(vectors)
    assert.deepEqual(decodeBasis(encodeBasis(basis)), basis)
  }
})

test('other scripts are embedded, with and without spaces', () => {
  const weather = ['明日の東京の天気を教えて', '今日の大阪の天気を教えて', '週末の京都の天気を教えて']
  const money = ['銀行口座にお金を振り込みたい', '別の口座にお金を振り込みたい', '口座からお金を引き出したい']
  const tickets = ['отменить билет на самолёт', 'отменить мой билет', 'хочу отменить билеты']
  const vectors = embed([...weather, ...money, ...tickets].map((text) => asking(text)))
  for (const first of [0, 3, 6]) {
    for (const second of [first + 1, first + 2]) {
      for (const other of [0, 3, 6].filter((index) => index !== first)) {
        assert.ok(cosine(vectors, first, second) > cosine(vectors, first, other) + 0.3, `${first} ${second} ${other}`)
      }
    }
  }
})

test('a long text without any repetition has no more features than there are buckets', () => {
  const random = createRandom(1)
  const noise = String.fromCharCode(...Array.from({ length: 16_384 }, () => Math.floor(random() * 0xffff)))
  const { grams, words } = featuresOf({ asked: [noise], done: [] })
  assert.ok(grams.buckets.length <= 65_536 && words.buckets.length <= 16_384)
  assert.deepEqual([...grams.buckets], [...new Set(grams.buckets)].sort((a, b) => a - b)) // prettier-ignore
})

test('features are counted in each trace by itself, as often as they occur', () => {
  const text = { asked: ['refund refund order', 'refund'], done: ['call model', 'call model', 'answer'] }
  const first = featuresOf(text)
  assert.deepEqual([...first.words.counts].toSorted(), [1, 3])
  // "call model" as a whole and by its words.
  assert.deepEqual([...first.steps.counts].toSorted(), [1, 2, 2, 2])
  const [one, three] = [
    featuresOf({ asked: ['refund'], done: [] }),
    featuresOf({ asked: Array(3).fill('refund'), done: [] }),
  ]
  assert.deepEqual(three.grams.buckets, one.grams.buckets)
  assert.deepEqual([...three.grams.counts], [...one.grams.counts].map((count) => 3 * count)) // prettier-ignore
  assert.deepEqual(featuresOf(text), first)
})
