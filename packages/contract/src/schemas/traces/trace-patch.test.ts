import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { TracePatch } from './trace-patch.ts'

const patch = Compile(TracePatch)

test('a patch changes the status, the flag or both, with or without a reason', () => {
  assert.ok(patch.Check({ status: 'error' }))
  assert.ok(patch.Check({ flagged: false }))
  assert.ok(patch.Check({ status: 'ok', flagged: true, reason: 'seen by a person' }))
})

test('refuses a patch that would change nothing or has an unknown field', () => {
  assert.equal(patch.Check({}), false)
  assert.equal(patch.Check({ reason: 'why' }), false)
  assert.equal(patch.Check({ status: 'failed' }), false)
  assert.equal(patch.Check({ flagged: null }), false)
  assert.equal(patch.Check({ flagged: true, flag: true }), false)
})
