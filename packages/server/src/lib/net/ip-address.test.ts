import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatIpAddress, parseIpAddress } from './ip-address.ts'

const canonical = (text: string) => {
  const address = parseIpAddress(text)
  return address === null ? null : formatIpAddress(address)
}

test('both families are read, zones left out, mapped addresses taken for what they are', () => {
  assert.equal(canonical('192.168.0.1'), '192.168.0.1')
  assert.equal(canonical('::'), '0:0:0:0:0:0:0:0')
  assert.equal(canonical('::1'), '0:0:0:0:0:0:0:1')
  assert.equal(canonical('2001:DB8::a:0:1'), '2001:db8:0:0:0:a:0:1')
  assert.equal(canonical('fe80::1%eth0'), 'fe80:0:0:0:0:0:0:1')
  assert.equal(canonical('1:2:3:4:5:6:7::'), '1:2:3:4:5:6:7:0')
  assert.equal(canonical('64:ff9b::10.0.0.1'), '64:ff9b:0:0:0:0:a00:1')
  for (const mapped of ['::ffff:127.0.0.1', '::FFFF:7f00:1', '0:0:0:0:0:ffff:127.0.0.1', '::ffff:127.0.0.1%lo'])
    assert.equal(canonical(mapped), '127.0.0.1', mapped)
  // Compatible and translated forms are addresses of IPv6.
  assert.equal(canonical('::127.0.0.1'), '0:0:0:0:0:0:7f00:1')
  assert.equal(canonical('::ffff:0:127.0.0.1'), '0:0:0:0:ffff:0:7f00:1')
})

test('what programs read differently is no address', () => {
  for (const text of [
    '',
    '127.1',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '127.0.0.1.',
    '1.2.3.256',
    '[::1]',
    '::g',
    '1::2::3',
  ])
    assert.equal(parseIpAddress(text), null, text)
})

test('any address is read back as it was written', () => {
  const address = fc.oneof(
    fc.record(
      { family: fc.constant('ipv4' as const), value: fc.bigInt(0n, (1n << 32n) - 1n) },
      { noNullPrototype: true },
    ),
    fc
      .record(
        { family: fc.constant('ipv6' as const), value: fc.bigInt(0n, (1n << 128n) - 1n) },
        { noNullPrototype: true },
      )
      .filter(({ value }) => value >> 32n !== 0xffffn),
  )
  fc.assert(fc.property(address, (given) => assert.deepEqual(parseIpAddress(formatIpAddress(given)), given)))
})

test('any text of IPv6 that the platform takes is the address that the platform takes it for', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const mine = canonical(text)
      assert.ok(mine !== null)
      const asUrl = (host: string) => new URL(`http://[${host}]`).hostname
      assert.equal(asUrl(mine.includes(':') ? mine : `::ffff:${mine}`), asUrl(text))
    }),
  )
})
