import assert from 'node:assert/strict'
import type { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { addressOf } from './address-of.ts'

const at = (address: string, internal = false) => ({ address, internal }) as never

test('a node is reached at the address that it listens on, or at the first one of the machine', () => {
  const machine = { lo: [at('127.0.0.1', true)], eth0: [at('fe80::1'), at('2001:db8::7'), at('10.0.0.5')] }
  const cases: readonly (readonly [string, ReturnType<typeof networkInterfaces>, string])[] = [
    ['0.0.0.0', machine, 'http://10.0.0.5:4319'],
    ['::', machine, 'http://10.0.0.5:4319'],
    ['::', { eth0: [at('2001:db8::7')] }, 'http://[2001:db8::7]:4319'],
    ['0.0.0.0', { lo: [at('127.0.0.1', true)] }, 'http://127.0.0.1:4319'],
    ['127.0.0.1', machine, 'http://127.0.0.1:4319'],
    ['::1', machine, 'http://[::1]:4319'],
    ['node-1', machine, 'http://node-1:4319'],
  ]
  for (const [host, interfaces, address] of cases) assert.equal(addressOf(host, 4319, interfaces), address)
})
