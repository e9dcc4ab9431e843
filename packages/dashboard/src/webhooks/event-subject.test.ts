import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEventSubject } from './event-subject.ts'

const of = (data: unknown) => readEventSubject(JSON.stringify({ id: 'evt_1', data }))

test('the subject of an event is read from its body', () => {
  assert.deepEqual(of({ trace: { id: 'tr_1', name: 'run' }, reason: 'bad' }), {
    kind: 'trace',
    id: 'tr_1',
    name: 'run',
    detail: 'bad',
    traceId: null,
  })
  assert.deepEqual(of({ event: { name: 'solved', trace_id: 'tr_2' } })?.traceId, 'tr_2')
  assert.deepEqual(of({ monitor: { id: 'mon_1', name: 'Errors' }, value: 0.5 })?.detail, 'at 0.5')
  assert.deepEqual(of({ cluster: { id: 'clu_1', label: '' } })?.name, 'clu_1')
})

test('other bodies have no subject', () => {
  for (const data of [{ webhook_id: 'wh_1' }, { truncated: [''] }, null, [], { trace: { id: 7 } }, { trace: 'x' }]) {
    assert.equal(of(data), null)
  }
  assert.equal(readEventSubject('{'), null)
})
