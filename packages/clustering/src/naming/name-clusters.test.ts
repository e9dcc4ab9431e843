import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nameClusters, type NamingSample } from './name-clusters.ts'

const sample = (asked: readonly string[], done: readonly string[] = [], previous: NamingSample['previous'] = null) => ({
  texts: asked.map((text) => ({ asked: [text], done })),
  previous,
})
const FLIGHTS = [
  'Please change my flight, it is basic economy',
  'I want to change a flight in basic economy',
  'can you change the flight for 2024-05-15',
  'change flight to basic economy',
]
const BAGS = [
  'add a checked bag to my flight',
  'checked bags for the flight',
  'how many checked bags',
  'checked bags, one more',
]
const nobody = () => false
const NONE: ReadonlySet<string> = new Set()
const labelsOf = (samples: readonly NamingSample[]) => nameClusters(samples, nobody, NONE).map(({ label }) => label)

test('a label is short, readable and distinguishes the cluster from the others', () => {
  assert.deepEqual(labelsOf([sample(FLIGHTS), sample(BAGS)]), ['change flight · basic economy', 'checked bags'])
})

test('no keyword shares a word with another', () => {
  for (const { keywords } of nameClusters([sample(FLIGHTS), sample(BAGS)], nobody, NONE)) {
    const words = keywords.flatMap((keyword) => keyword.split(' '))
    assert.equal(new Set(words).size, words.length)
  }
})

test('words that may be names of persons are in neither label nor keywords', () => {
  const named = sample(FLIGHTS.map((text) => `${text}, Ada Rossi`))
  const isPersonal = (word: string) => ['ada', 'rossi'].includes(word)
  assert.ok(nameClusters([named, sample(BAGS)], nobody, NONE)[0]!.keywords.includes('ada rossi'))
  assert.ok(!JSON.stringify(nameClusters([named, sample(BAGS)], isPersonal, NONE)).includes('rossi'))
})

test('a label that has such a word is not kept', () => {
  const named = sample(
    FLIGHTS.map((text) => `${text}, Ada Rossi`),
    [],
    { label: 'ada rossi · basic economy' },
  )
  assert.equal(nameClusters([named, sample(BAGS)], nobody, NONE)[0]!.label, 'ada rossi · basic economy')
  const [name] = nameClusters([named, sample(BAGS)], (word) => word === 'ada' || word === 'rossi', NONE)
  assert.equal(name!.label, 'change flight · basic economy')
})

test('one text that repeats a word does not name the cluster', () => {
  const shouting = sample([...FLIGHTS, 'pwned '.repeat(500)])
  assert.ok(!nameClusters([shouting, sample(BAGS)], nobody, NONE)[0]!.keywords.includes('pwned'))
})

test("the users' first messages name a cluster before later ones", () => {
  const talk = (first: string) => ({ asked: ['Hi!', first, 'I understand, please double check'], done: [] })
  const cancelling = {
    texts: [talk('cancel my trip to Oslo'), talk('please cancel the trip'), talk('cancel one trip')],
    previous: null,
  }
  assert.deepEqual(nameClusters([cancelling, sample(BAGS)], nobody, NONE)[0]!.keywords, [
    'cancel trip',
    'double check',
    'understand',
  ])
})

test('without a text the steps name a cluster; without either, the label says so', () => {
  const steps = sample(['', ''], ['search_flights', 'type:tool', 'error:TimeoutError'])
  const silent = sample(['', ''])
  const numbers = sample(['17', '4711'])
  assert.deepEqual(labelsOf([steps, silent, numbers, sample([]), silent]), [
    'steps: error timeout · search flights',
    'no text',
    'no words in common',
    'no text (2)',
    'no text (3)',
  ])
})

test('steps that all clusters have name none', () => {
  const same = sample(['', ''], ['call model', 'type:llm'])
  assert.deepEqual(labelsOf([same, same]), ['no text', 'no text (2)'])
})

test('clusters of the same words have labels of their own', () => {
  const labels = labelsOf(Array.from({ length: 5 }, () => sample(FLIGHTS)))
  assert.equal(new Set(labels).size, 5)
})

test('clusters of one subject are named by what is special about each', () => {
  const requests = ['cancel it', 'move it to Monday', 'add a suitcase', 'sit at the window', 'upgrade it']
  const samples = requests.map((special) =>
    sample(['about', 'regarding', 'it is'].map((way) => `${way} my upcoming flight reservation: ${special}, please`)),
  )
  const labels = labelsOf(samples)
  const words = labels.flatMap((label) => label.split(' · '))
  assert.equal(new Set(words).size, words.length, labels.join('; '))
  assert.doesNotMatch(labels.join(' '), /flight|upcoming|reservation/)
})

test('a term is in one label, if a cluster has others', () => {
  const kept = sample(['refund my order', 'refund the order'], [], { label: 'refund order' })
  const other = sample(['refund my order, the vase broke', 'refund my order, the vase broke'])
  const labels = labelsOf([other, kept, sample(BAGS), sample(FLIGHTS), sample(BAGS)])
  assert.equal(labels[1], 'refund order')
  assert.equal(labels[0], 'vase broke')
})

test('a label stays while its words still describe the cluster', () => {
  const again = (label: string) => labelsOf([sample(FLIGHTS, [], { label }), sample(BAGS)])[0]
  assert.equal(again('basic economy · change flight'), 'basic economy · change flight')
  assert.equal(again('lost luggage'), 'change flight · basic economy')
})

test('a label of the last run only goes to the cluster that had it', () => {
  const label = 'change flight · basic economy'
  const samples = [sample(FLIGHTS), sample(BAGS), sample(FLIGHTS, [], { label })]
  const labels = nameClusters(samples, nobody, new Set([label, 'checked bags'])).map((name) => name.label)
  assert.equal(labels[2], label)
  assert.ok(labels[0]!.startsWith(label) && labels[0] !== label, labels[0])
  assert.notEqual(labels[1], 'checked bags', 'which ended')
})

test('scripts other than Latin are named in their own words', () => {
  const samples = [
    sample(['我想取消订单', '请取消订单']),
    sample(['отменить бронирование', 'как отменить бронирование']),
  ]
  assert.deepEqual(labelsOf(samples), ['取消订单', 'отменить бронирование'])
})

test('labels of any texts are different, bounded plain text', () => {
  const texts = fc.array(
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...FLIGHTS, ...BAGS, '<b>x</b>', '‮evil')),
  )
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 6 }), (clusters) => {
      const labels = labelsOf(clusters.map((asked) => sample(asked)))
      assert.equal(new Set(labels).size, clusters.length)
      for (const label of labels) assert.match(label, /^[\p{L}\p{M} ·():0-9]{1,120}$/u)
    }),
  )
})
