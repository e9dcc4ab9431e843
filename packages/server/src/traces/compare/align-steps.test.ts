import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../lib/flow/in-slices.ts'
import { type AlignedPair, type AlignedStep, alignSteps } from './align-steps.ts'
import { sketchOf } from './text-sketch.ts'

const align = (left: readonly AlignedStep[], right: readonly AlignedStep[]) => atOnce(alignSteps(left, right))

/** `search: trains to Rome` is a step of the role `search`. */
const step = (written: string): AlignedStep => {
  const [role = '', text = ''] = written.split(': ')
  return { content: written, role, type: role.split(' ')[0]!, place: '', sketch: () => sketchOf(text) }
}
const run = (...written: readonly string[]) => written.map(step)

/** `a=a` the same, `a~b` changed, `a-` and `+b` on one side alone. */
const shown = (left: readonly string[], right: readonly string[]) =>
  align(run(...left), run(...right)).map(([l, r]) => {
    if (l === null) return `+${right[r as number]}`
    if (r === null) return `${left[l]}-`
    return `${left[l]}${left[l] === right[r] ? '=' : '~'}${right[r]}`
  })

test('a step that was added, dropped or changed is found as that', () => {
  const whole = ['plan', 'search: trains to Rome', 'search: hotels in Rome', 'answer: done']
  const without = whole.toSpliced(1, 1)
  const [plan, trains, hotels, answer] = whole as [string, string, string, string]
  assert.deepEqual(shown(whole, without), [
    `${plan}=${plan}`,
    `${trains}-`,
    `${hotels}=${hotels}`,
    `${answer}=${answer}`,
  ])
  assert.deepEqual(shown(without, whole)[1], `+${trains}`)
  assert.deepEqual(shown(whole, whole.with(2, 'search: hostels in Rome'))[2], `${hotels}~search: hostels in Rome`)
  assert.deepEqual(shown(whole, whole.with(2, 'book: a room')).slice(2, 4), [`${hotels}-`, '+book: a room'])
})

test('what a step says decides between steps of one role', () => {
  const left = ['llm: look for trains to Rome on Monday', 'llm: the cheapest train leaves at nine']
  const changed = [
    'llm: let us think',
    'llm: look for trains to Rome on Tuesday',
    'llm: the cheapest train leaves at ten',
  ]
  assert.deepEqual(shown(left, changed), [`+${changed[0]}`, `${left[0]}~${changed[1]}`, `${left[1]}~${changed[2]}`])
})

test('a step of another name is a version of one that says nearly the same, if its type is the same', () => {
  const said = 'look for trains to Rome on Monday morning'
  assert.deepEqual(shown([`llm gpt: ${said}`], [`llm claude: ${said}`]), [`llm gpt: ${said}~llm claude: ${said}`])
  assert.equal(shown([`llm gpt: ${said}`], ['llm claude: no idea at all']).length, 2)
  assert.equal(shown([`llm: ${said}`], [`tool: ${said}`]).length, 2)
})

test('texts without spaces are compared by their characters', () => {
  const left = ['llm: 明日の天気を調べます', 'llm: 列車を予約します']
  assert.deepEqual(shown(left, ['llm: 列車を予約しました']), [`${left[0]}-`, `${left[1]}~llm: 列車を予約しました`])
})

test('steps that moved are on both sides, and the longer stretch stays aligned', () => {
  assert.deepEqual(shown(['a', 'b', 'c', 'd'], ['d', 'a', 'b', 'c']), ['+d', 'a=a', 'b=b', 'c=c', 'd-'])
})

const anyStep = fc
  .tuple(fc.constantFrom('llm', 'llm b', 'tool'), fc.constantFrom('', 'one', 'two', 'one two', 'one two three'))
  .map(([role, text]) => step(`${role}: ${text}`))
const anyRun = fc.array(anyStep, { maxLength: 40 })

test('each step is in one pair, in the order of its run, and the left ones come first between two common steps', () => {
  fc.assert(
    fc.property(anyRun, anyRun, (left, right) => {
      const pairs = align(left, right)
      const side = (at: 0 | 1) => pairs.map((pair) => pair[at]).filter((index) => index !== null)
      assert.deepEqual(side(0), [...left.keys()])
      assert.deepEqual(side(1), [...right.keys()])
      for (const [at, [l]] of pairs.entries()) if (l === null) assert.notEqual(pairs[at + 1]?.[1], null)
    }),
  )
})

test('a run is the same as itself', () => {
  fc.assert(
    fc.property(anyRun, (steps) => {
      assert.deepEqual(
        align(steps, steps),
        steps.map((_, at) => [at, at]),
      )
    }),
  )
})

test('the same steps are matched when the sides are exchanged', () => {
  const matched = (pairs: readonly AlignedPair[]) => pairs.filter(([l, r]) => l !== null && r !== null)
  fc.assert(
    fc.property(anyRun, anyRun, (left, right) => {
      const exchanged = matched(align(right, left)).map(([l, r]) => [r, l])
      assert.deepEqual(matched(align(left, right)), exchanged)
    }),
  )
})

test('a step that is unlike all others is found as the only difference, wherever it is', () => {
  fc.assert(
    fc.property(anyRun, fc.nat(), (steps, where) => {
      const at = where % (steps.length + 1)
      const pairs = align(steps, steps.toSpliced(at, 0, step('agent: new')))
      assert.deepEqual(
        pairs.filter(([l, r]) => l === null || r === null),
        [[null, at]],
      )
    }),
  )
})

test('long runs without a common step are aligned near their diagonal', () => {
  const many = (day: string, count: number) =>
    Array.from({ length: count }, (_, at) => step(`llm: ${day} step ${at} of the run, ${at * 7} and ${at * 13}`))
  const pairs = align(many('monday', 3000), many('tuesday', 3000).toSpliced(1500, 10))
  assert.equal(pairs.length, 3000)
  assert.deepEqual(pairs[100], [100, 100])
  assert.deepEqual(pairs.at(-1), [2999, 2989])
})
