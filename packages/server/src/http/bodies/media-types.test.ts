import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { accepts, prefers, requireMediaType } from './media-types.ts'

test('accepts the media type in any case and with charset UTF-8', () => {
  for (const type of ['application/json', 'Application/JSON ; Charset="utf-8"', 'application/json;charset=UTF8;x=y']) {
    requireMediaType({ 'content-type': type }, 'application/json')
  }
})

test('refuses other types and charsets', () => {
  for (const type of [undefined, '', 'application/jsonx', 'text/json', 'application/json;charset=latin1']) {
    assert.throws(() => requireMediaType({ 'content-type': type }, 'application/json'), DomainError, type)
  }
})

test('accepts a type by name, by range or without a header; prefers it only by name', () => {
  const cases: readonly (readonly [string | undefined, boolean, boolean])[] = [
    [undefined, true, false],
    ['*/*', true, false],
    ['text/*;q=0.5', true, false],
    ['text/html, TEXT/event-stream;q=0.1', true, true],
    ['text/event-stream;q=0', false, false],
    ['*/*, text/event-stream;q=0.0', false, false],
    ['text/*;q=0, */*', false, false],
    ['text/*;q=0, text/event-stream', true, true],
    ['application/json', false, false],
  ]
  for (const [accept, accepted, preferred] of cases) {
    assert.deepEqual(
      [accepts(accept, 'text/event-stream'), prefers(accept, 'text/event-stream')],
      [accepted, preferred],
      accept,
    )
  }
})
