import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { type IpAddress, ipRange, networkOf, parseIpAddress, parseIpRange } from './ip-address.ts'

const canonical = (text: string) => parseIpAddress(text)?.toString() ?? null

test('both families are parsed, zones are ignored, and mapped addresses become IPv4', () => {
  assert.equal(canonical('192.168.0.1'), '192.168.0.1')
  assert.equal(canonical('::'), '::')
  assert.equal(canonical('::1'), '::1')
  assert.equal(canonical('2001:DB8::a:0:1'), '2001:db8::a:0:1')
  assert.equal(canonical('fe80::1%eth0'), 'fe80::1')
  assert.equal(canonical('1:2:3:4:5:6:7::'), '1:2:3:4:5:6:7:0')
  assert.equal(canonical('64:ff9b::10.0.0.1'), '64:ff9b::a00:1')
  for (const mapped of ['::ffff:127.0.0.1', '::FFFF:7f00:1', '0:0:0:0:0:ffff:127.0.0.1', '::ffff:127.0.0.1%lo'])
    assert.equal(canonical(mapped), '127.0.0.1', mapped)
  // IPv4-compatible and IPv4-translated addresses remain IPv6.
  assert.equal(canonical('::127.0.0.1'), '::7f00:1')
  assert.equal(canonical('::ffff:0:127.0.0.1'), '::ffff:0:7f00:1')
})

test('text that programs read differently is no address', () => {
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

test('every address is parsed back as it was printed', () => {
  const ipv4 = fc.uint8Array({ minLength: 4, maxLength: 4 }).map((bytes): IpAddress => new ipaddr.IPv4([...bytes]))
  const ipv6 = fc
    .uint16Array({ minLength: 8, maxLength: 8 })
    .map((parts) => new ipaddr.IPv6([...parts]))
    .filter((address): address is ipaddr.IPv6 => !address.isIPv4MappedAddress())
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), (address) => assert.deepEqual(parseIpAddress(address.toString()), address)),
  )
})

test('every IPv6 text that the platform accepts is parsed to the address of the platform', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const parsed = canonical(text)
      assert.ok(parsed !== null)
      const asUrl = (host: string) => new URL(`http://[${host}]`).hostname
      assert.equal(asUrl(parsed.includes(':') ? parsed : `::ffff:${parsed}`), asUrl(text))
    }),
  )
})

test('a range is its network and prefix, and an address a range of its own', () => {
  const printed = (text: string) => ipRange(text).join('/')
  assert.equal(printed('10.0.0.0/8'), '10.0.0.0/8')
  assert.equal(printed('0.0.0.0/0'), '0.0.0.0/0')
  assert.equal(printed('127.0.0.1'), '127.0.0.1/32')
  assert.equal(printed('fe80::/10'), 'fe80::/10')
  assert.equal(printed('::1/128'), '::1/128')
  assert.equal(printed('::ffff:10.0.0.0/104'), '10.0.0.0/8')
})

test('a range that could mean something else is refused', () => {
  const problem = (text: string) => {
    const parsed = parseIpRange(text)
    return 'problem' in parsed ? parsed.problem : null
  }
  assert.equal(problem('10.1.2.3/8'), 'has bits set after its prefix; is 10.0.0.0/8 meant?')
  assert.equal(problem('fd00::1/8'), 'has bits set after its prefix; is fd00::/8 meant?')
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

test('a network keeps the bits of its prefix and clears the others', () => {
  const network = (text: string, prefix: number) => networkOf(ipRange(text)[0], prefix).toString()
  assert.equal(network('10.1.2.3', 15), '10.0.0.0')
  assert.equal(network('2001:db8:1:2:3:4:5:6', 64), '2001:db8:1:2::')
  assert.equal(network('::1:2:3:4', 64), '::')
  assert.equal(network('2001:db8:1:ffff::', 52), '2001:db8:1:f000::')
  assert.equal(network('::1', 0), '::')
})
