import type { Answer, Client } from '../lib/client.ts'

const MEBIBYTE = 1024 * 1024

/** Bodies at and above the limits. None of them is stored. */
export function hugeCases(client: Client): readonly (readonly [label: string, send: () => Promise<Answer>])[] {
  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  return [
    ['a body beyond 16 MiB', () => client.postTrace(Buffer.alloc(16 * MEBIBYTE + 1, 0x20))],
    ['a body of 16 MiB of blanks', () => client.postTrace(Buffer.alloc(16 * MEBIBYTE, 0x20))],
    ['100,000 levels', () => client.postTrace(`{"name":"a","metadata":${deep(100_000)}}`)],
    ['a million brackets', () => client.postTrace('['.repeat(1_000_000))],
    [
      '300 keys',
      () =>
        client.postTrace({
          name: 'a',
          metadata: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n])),
        }),
    ],
    ['a long key', () => client.postTrace({ name: 'a', metadata: { ['k'.repeat(201)]: 1 } })],
    [
      '50,001 steps',
      () => client.postTrace({ name: 'a', steps: Array.from({ length: 50_001 }, () => ({ name: 's' })) }),
    ],
    ['a name of a million', () => client.postTrace({ name: "'".repeat(1_000_000) })],
    ['an unclosed string of 10 MiB', () => client.postTrace(`{"name":"${'a'.repeat(10 * MEBIBYTE)}`)],
    ['a million wrong fields', () => client.postTrace(`{${'"\'":1,'.repeat(1_000_000)}"name":"a","x":1}`)],
  ]
}
