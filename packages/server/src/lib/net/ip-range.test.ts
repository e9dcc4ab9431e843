import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatIpAddress, type IpAddress, parseIpAddress } from './ip-address.ts'
import { ipRange, isInRange, parseIpRange, subtractRanges } from './ip-range.ts'

function address(text: string): IpAddress {
  const parsed = parseIpAddress(text)
  assert.ok(parsed !== null)
  return parsed
}

function ends(text: string): string {
  const { family, first, last } = ipRange(text)
  return [first, last].map((value) => formatIpAddress({ family, value })).join(' ')
}

test('a range is its prefix, an address itself', () => {
  assert.equal(ends('10.0.0.0/8'), '10.0.0.0 10.255.255.255')
  assert.equal(ends('0.0.0.0/0'), '0.0.0.0 255.255.255.255')
  assert.equal(ends('127.0.0.1'), '127.0.0.1 127.0.0.1')
  assert.equal(ends('fe80::/10'), 'fe80:0:0:0:0:0:0:0 febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff')
  assert.equal(ends('::1/128'), '0:0:0:0:0:0:0:1 0:0:0:0:0:0:0:1')
  assert.equal(ends('::ffff:10.0.0.0/104'), '10.0.0.0 10.255.255.255')
})

test('whatever could be meant otherwise is refused', () => {
  const problem = (text: string) => {
    const parsed = parseIpRange(text)
    return 'problem' in parsed ? parsed.problem : null
  }
  assert.equal(problem('10.1.2.3/8'), 'has bits set behind its prefix; is 10.0.0.0/8 meant?')
  assert.equal(problem('10.0.0.0/33'), 'needs a prefix from 0 to 32')
  assert.equal(problem('fd00::/129'), 'needs a prefix from 0 to 128')
  assert.equal(problem('::ffff:10.0.0.0/8'), 'needs a prefix from 96 to 128')
  for (const text of [
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0/8',
    'localhost',
    '',
    'fe80::1%eth0',
    '*',
    '10.0.0.0/0x8',
  ])
    assert.notEqual(problem(text), null, text)
})

test('ranges of one family hold nothing of the other', () => {
  assert.ok(isInRange(address('10.9.8.7'), ipRange('10.0.0.0/8')))
  assert.ok(isInRange(address('::ffff:10.9.8.7'), ipRange('10.0.0.0/8')))
  assert.ok(!isInRange(address('11.0.0.0'), ipRange('10.0.0.0/8')))
  assert.ok(!isInRange(address('1.2.3.4'), ipRange('::/0')))
  assert.ok(!isInRange(address('::1'), ipRange('0.0.0.0/0')))
})

test('a difference holds what is in the one and not in the other', () => {
  const small = fc
    .tuple(fc.bigInt(0n, 40n), fc.bigInt(0n, 12n), fc.constantFrom('ipv4' as const, 'ipv6' as const))
    .map(([first, length, family]) => ({ family, first, last: first + length }))
  fc.assert(
    fc.property(fc.array(small, { maxLength: 5 }), fc.array(small, { maxLength: 5 }), (ranges, taken) => {
      const left = subtractRanges(ranges, taken)
      for (const family of ['ipv4', 'ipv6'] as const) {
        for (let value = 0n; value < 60n; value++) {
          const among = (all: typeof ranges) => all.some((range) => isInRange({ family, value }, range))
          assert.equal(among(left), among(ranges) && !among(taken))
        }
      }
    }),
  )
})
