import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idIn } from './find-place.ts'

test('ids are told from words', () => {
  const id = '01h2xcejqtf2nbrexx3vqjhp41'
  for (const [text, expected] of [
    [` tr_${id} `, { kind: 'trace', id: `tr_${id}` }],
    ['4BF92F3577B34DA6A3CE929D0E0E4736', { kind: 'trace', id: '4bf92f3577b34da6a3ce929d0e0e4736' }],
    [`st_${id}`, { kind: 'step', id: `st_${id}` }],
    ['chat-2026-04', { kind: 'session', id: 'chat-2026-04' }],
    ['Session:A1', { kind: 'session', id: 'Session:A1' }],
    ['sess_anna_parcel', { kind: 'session', id: 'sess_anna_parcel' }],
    ['refund', null],
    ['refund 42', null],
    ['42', null],
    ['', null],
  ] as const) {
    assert.deepEqual(idIn(text), expected, text)
  }
})
