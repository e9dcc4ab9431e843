import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import { test } from 'node:test'
import { ipRange } from '../lib/net/ip-address.ts'
import { OperatorError } from '../lib/operator-error.ts'
import { createAddressPolicy } from './address-policy.ts'
import { assertGuarded } from './assert-guarded.ts'

test('this runtime refuses private addresses', async () => {
  await assertGuarded()
})

test('a guard that is missing, as a whole or in one part, is detected', async () => {
  const strict = createAddressPolicy([])
  const isUnguarded = (error: unknown) => error instanceof OperatorError && error.message.includes('does not refuse')
  await assert.rejects(assertGuarded(createAddressPolicy([ipRange('127.0.0.0/8')])), isUnguarded)
  // As in a runtime that ignores the block list.
  await assert.rejects(assertGuarded({ ...strict, blockList: new BlockList() }), isUnguarded)
})

test('each part of the guard refuses by itself', async () => {
  const strict = createAddressPolicy([])
  await assert.doesNotReject(assertGuarded({ ...strict, refusal: () => null }))
})
