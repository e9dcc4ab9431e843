import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsLines, toLineRequest, toPartRequest } from './line-request.ts'

const requestOf = (line: object) => toLineRequest(Buffer.from(JSON.stringify(line)))

test('a line of a recorder calls what its kind may call, and nothing else', () => {
  const body = { a: 1 }
  const flag = requestOf({ kind: 'flag', path: '/v1/traces/tr_1', body })
  assert.deepEqual([flag.kind, 'path' in flag && flag.path], ['call', 'v1/traces/tr_1'])
  for (const [kind, path] of [
    ['flag', '//other.example/v1/traces/tr_1'],
    ['flag', '/v1/traces/../keys'],
    ['metric', '/v1/traces/tr_1'],
    ['metric', 'http://other.example/v1/metrics/events'],
    ['constructor', '/v1/metrics/events'],
    ['__proto__', '/v1/metrics/events'],
    ['toString', '/v1/metrics/events'],
  ]) {
    assert.equal(requestOf({ kind, path, body }).kind, 'invalid', `${kind} ${path}`)
  }
})

test('a line of an export of runs goes to the trace that it names; a later part needs the lines before it', () => {
  const id = 'tr_01h2xcejqtf2nbrexx3vqjhp41'
  const line = (from: number, name = id) => Buffer.from(JSON.stringify({ id: name, from, trace: {} }))
  assert.deepEqual(toPartRequest(line(0)), { kind: 'call', method: 'PUT', path: `v1/traces/${id}`, body: line(0) })
  for (const other of [line(0, 'tr_1/../keys'), Buffer.from('{"id":7}'), Buffer.from('[]'), Buffer.from('{')]) {
    assert.equal(toPartRequest(other).kind, 'invalid', other.toString())
  }
  const kept = { kind: 'flag', path: `/v1/traces/${id}`, body: {} }
  const events = Buffer.from(JSON.stringify({ id, from: 0, events_from: 1000, trace: {} }))
  const lines = [line(0), line(10), events, Buffer.from(JSON.stringify(kept)), Buffer.from('{"name":"x"}')]
  assert.deepEqual(lines.map(needsLines), ['none', 'all', 'all', 'others', 'none'])
})
