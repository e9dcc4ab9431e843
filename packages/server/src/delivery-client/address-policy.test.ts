import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { ipRange } from '../lib/net/ip-address.ts'
import { createAddressPolicy } from './address-policy.ts'

const POLICY = createAddressPolicy([])

const words = (text: string) => text.split(' ')

/** Both ends of each range. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'an unspecified address': words('0.0.0.0 0.255.255.255 ::'),
  'a loopback address': words('127.0.0.1 127.255.255.255 ::1 ::ffff:127.0.0.1'),
  'a private address': [
    ...words('10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 fc00::'),
    ...words('fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fec0::1 fd00:ec2::254 ::ffff:a00:1'),
  ],
  'a metadata address': words('169.254.169.254 168.63.129.16 ::ffff:169.254.169.254'),
  'a link-local address': words('169.254.0.0 169.254.255.255 fe80::1 fe80::1%eth0 febf::'),
  'a carrier-grade NAT address': words('100.64.0.0 100.100.100.200 100.127.255.255'),
  'a multicast address': words('224.0.0.1 239.255.255.255 ff02::1'),
  'a documentation address': words('192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff:fff::'),
  'a benchmarking address': words('198.18.0.0 198.19.255.255 2001:2::1'),
  'a NAT64 address': words('64:ff9b::8.8.8.8 64:ff9b::a00:1 64:ff9b:1::1'),
  'a 6to4 address': words('2002::1 2002:7f00:1::1 2002:ffff:: 192.88.99.1'),
  'a Teredo address': words('2001::1 2001:0:ffff::'),
  'an IPv4-compatible address': words('::127.0.0.1 ::8.8.8.8'),
  'a reserved address': words('192.0.0.1 192.0.0.192 240.0.0.0 255.255.255.255 100::1 2001:10::1 2001:20::1'),
  'no public address': words('::ffff:0:127.0.0.1 1:: 400:: 1fff:: 4000:: 5f00:: 8000:: e000:: fe00::'),
  'no address': ['', ...words('localhost 127.1 0177.0.0.1 2130706433 0x7f000001')],
}

const PUBLIC = [
  ...words('1.0.0.0 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0'),
  ...words('169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0'),
  ...words('198.17.255.255 198.20.0.0 223.255.255.255 ::ffff:8.8.8.8 2000:: 2001:200::1 2001:4860:4860::8888'),
  ...words('2001:db7:: 2001:db9:: 2003::1 2606:4700::1 3ffe::1'),
]

test('every address outside the public Internet is refused, with the name of its range', () => {
  for (const [what, addresses] of Object.entries(REFUSED))
    for (const address of addresses) assert.equal(POLICY.refusal(address), what, address)
  for (const address of PUBLIC) assert.equal(POLICY.refusal(address), null, address)
})

test('ranges of the operator are allowed, and nothing next to them', () => {
  const policy = createAddressPolicy([ipRange('10.1.0.0/16'), ipRange('fd00::/16')])
  for (const address of ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', 'fd00::1', '8.8.8.8'])
    assert.equal(policy.refusal(address), null, address)
  for (const address of [
    '10.0.255.255',
    '10.2.0.0',
    'fd01::',
    '64:ff9b::10.1.0.1',
    '2002:a01:1::',
    '::10.1.0.1',
    '127.0.0.1',
  ])
    assert.notEqual(policy.refusal(address), null, address)
})

test('the block list refuses the same addresses', () => {
  const allow = [
    ipRange('127.0.0.0/8'),
    ipRange('10.1.0.0/16'),
    ipRange('fd00::/16'),
    ipRange('::1'),
    ipRange('64:ff9b::/97'),
  ]
  const address = fc.oneof(
    fc.constantFrom(
      ...Object.values(REFUSED)
        .flat()
        .filter((text) => POLICY.refusal(text) !== 'no address'),
      ...PUBLIC,
    ),
    fc.ipV4(),
    fc.uint16Array({ minLength: 8, maxLength: 8 }).map((parts) => new ipaddr.IPv6([...parts]).toString()),
    fc.constantFrom('10.1.2.3', '127.0.0.1', 'fd00::1', '::1', '64:ff9b::1', '64:ff9b::8000:1', '::ffff:127.0.0.1'),
  )
  for (const policy of [POLICY, createAddressPolicy(allow)]) {
    fc.assert(
      fc.property(address, (text) => {
        const plain = text.split('%', 1)[0] ?? ''
        const isBlocked = policy.blockList.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4')
        assert.equal(isBlocked, policy.refusal(text) !== null, text)
      }),
      { numRuns: 2000 },
    )
  }
})

const literalProblem = (text: string, policy = POLICY) => policy.literalProblem(new URL(text))

test('a literal address is refused in every notation of a url', () => {
  const hosts = [
    ...words('127.0.0.1 127.0.0.1. 127.1 0177.0.0.1 0x7f.0.0.1 0x7f000001 2130706433 017700000001 0x7f.1'),
    ...words('127.0.0.1:8080 %31%32%37.0.0.1 １２７.0.0.1 ①②⑦.⓪.⓪.① 127。0。0。1 [::1] [::ffff:127.0.0.1]'),
    ...words('[::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:1] localhost LOCALHOST localhost. a.localhost ｌocalhost'),
  ]
  for (const host of hosts) {
    assert.match(literalProblem(`http://${host}/hook`) ?? '', /is a loopback address/, host)
    assert.match(literalProblem(`https://${host}/hook`) ?? '', /is a loopback address/, host)
  }
  assert.equal(
    literalProblem('http://0xA9FEA9FE/'),
    '169.254.169.254 is a metadata address: deliveries do not go there, unless the operator allows it with SPOOR_WEBHOOK_ALLOW',
  )
  for (const host of words('0 10.1 [::] [fe80::1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [2001::1]'))
    assert.notEqual(literalProblem(`http://${host}/`), null, host)
  // A url cannot carry a zone.
  assert.ok(!URL.canParse('http://[fe80::1%25eth0]/'))
})

test('names and public addresses are accepted before DNS is queried', () => {
  const hosts = words(
    'example.com localhost.example.com notlocalhost 8.8.8.8 [2606:4700::1] 127.0.0.1.example bücher.example',
  )
  for (const host of hosts) assert.equal(literalProblem(`https://${host}/`), null, host)
})

test('localhost is allowed with the loopback addresses', () => {
  for (const range of ['127.0.0.0/8', '::1']) {
    assert.equal(literalProblem('http://localhost:1/', createAddressPolicy([ipRange(range)])), null)
  }
  assert.equal(literalProblem('http://127.1:1/', createAddressPolicy([ipRange('127.0.0.0/8')])), null)
  assert.notEqual(literalProblem('http://127.1:1/', createAddressPolicy([ipRange('::1')])), null)
})
