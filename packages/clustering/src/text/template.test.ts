import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTemplate, grownTemplate, withoutTemplate } from './template.ts'

const POLICY = Array.from({ length: 60 }, (_, at) => `rule${at}`).join(' ')
const question = (at: number) => `item${at} of mine is late`
const asked = Array.from({ length: 30 }, (_, at) => (at % 2 === 0 ? `${POLICY}\n\n${question(at)}` : question(at)))

test('what many texts share is left out, and the rest stays', () => {
  const template = new Set(findTemplate(asked))
  assert.equal(withoutTemplate(asked[2]!, template), question(2))
  assert.equal(withoutTemplate(question(3), template), question(3))
  assert.equal(withoutTemplate(`${question(4)} ${POLICY.toUpperCase()} thanks`, template), `${question(4)} thanks`)
})

test('frequent requests are no template, nor what few texts share', () => {
  const same = Array.from({ length: 30 }, () => 'what is the weather in the town today and tomorrow')
  assert.equal(withoutTemplate(same[0]!, new Set(findTemplate(same))), same[0])
  const onlyPolicy = Array.from({ length: 30 }, () => POLICY)
  assert.equal(withoutTemplate(POLICY, new Set(findTemplate(onlyPolicy))), POLICY)
  const rare = asked.map((text, at) => (at < 6 ? text : question(at)))
  assert.equal(findTemplate(rare).length, 0)
  assert.equal(findTemplate(asked.slice(0, 19)).length, 0)
})

test('a template grows by what is new in another one', () => {
  const template = findTemplate(asked)
  const none = new Uint32Array(0)
  assert.deepEqual(grownTemplate(none, template), template)
  assert.equal(grownTemplate(template, template.slice(5)), null)
  assert.equal(grownTemplate(template, none), null)
  assert.deepEqual(grownTemplate(template.slice(30), template), template)
})

test('templates that have no room together do not take turns', () => {
  const [one, other] = [0, 5000].map((start) => Uint32Array.from({ length: 3000 }, (_, at) => start + at)) as [
    Uint32Array,
    Uint32Array,
  ]
  const both = grownTemplate(one, other)
  assert.equal(both?.length, 4000)
  assert.deepEqual([grownTemplate(both, one), grownTemplate(both, other)], [null, null])
})
