import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { PROJECT } from '../../trace-builders.test-support.ts'
import { parseExport } from '../parse-export.ts'
import { exportJson, ns, spanId, type TestSpan } from '../spans.test-support.ts'

function evaluationsOf(span: TestSpan) {
  const { spans } = parseExport(PROJECT, Buffer.from(JSON.stringify(exportJson([span]))), 'json', DEFAULT_LIMITS)
  return spans[0]!
}

const AT = 1_772_323_200_000

test('events of evaluations are found in both forms, and stay on the step', () => {
  const { evaluations, step } = evaluationsOf({
    events: [
      {
        name: 'gen_ai.evaluation.result',
        attributes: {
          'gen_ai.evaluation.name': 'relevance',
          'gen_ai.evaluation.score.value': 0.5,
          'gen_ai.evaluation.score.label': 'fair',
          'gen_ai.evaluation.explanation': 'It is about something else.',
        },
      },
      { name: 'gen_ai.evaluation.result', attributes: { 'gen_ai.evaluation.name': 'empty' } },
      { name: 'gen_ai.evaluation.result', attributes: { 'gen_ai.evaluation.score.value': 1 } },
      { name: 'gen_ai.evaluation.relevance', attributes: { 'gen_ai.evaluation.score': 1 } },
    ],
  })
  const key = (at: number, name: string) => `otel:${spanId(1)}:${at}:${name}`
  assert.deepEqual(evaluations, [
    {
      name: 'relevance',
      score: 0.5,
      label: 'fair',
      explanation: 'It is about something else.',
      source: null,
      at: null,
      key: key(0, 'relevance'),
    },
    { name: 'relevance', score: 1, label: null, explanation: null, source: null, at: null, key: key(1, 'relevance') },
  ])
  const body = JSON.parse(step.body.toString()) as { metadata: { 'otel.events': unknown[] } }
  assert.equal(body.metadata['otel.events'].length, 4)
})

test('of a span with very many evaluations the first are taken', () => {
  const event = { name: 'gen_ai.evaluation.x', attributes: { 'gen_ai.evaluation.score': 1 } }
  const { evaluations } = evaluationsOf({ events: Array.from({ length: 3000 }, () => event) })
  assert.equal(evaluations.length, 100)
  assert.equal(evaluations.at(-1)?.key, `otel:${spanId(1)}:99:x`)
})

test('annotations of OpenInference are found in their order, with who has made them', () => {
  const { evaluations, step } = evaluationsOf({
    endTimeUnixNano: ns(5),
    attributes: {
      'annotations.1.annotation.name': 'helpful',
      'annotations.1.annotation.label': 'yes',
      'annotations.1.annotation.annotator_kind': 'HUMAN',
      'annotations.0.annotation.name': 'hallucination',
      'annotations.0.annotation.score': 1,
      'annotations.0.annotation.annotator_kind': 'LLM',
      'annotations.0.annotation.explanation': 'Unsupported.',
    },
  })
  assert.deepEqual(
    evaluations.map(({ name, score, label, source, at, explanation }) => [name, score, label, source, at, explanation]),
    [
      ['hallucination', 1, null, 'llm', AT + 5, 'Unsupported.'],
      ['helpful', null, 'yes', 'human', AT + 5, null],
    ],
  )
  assert.match(step.body.toString(), /annotations\.1\.annotation\.name/)
})
