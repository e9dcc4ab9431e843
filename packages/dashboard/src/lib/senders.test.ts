import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sender } from '@spoor/contract/schemas/sender'
import { dismissSender, senderToWarnOf } from './senders.ts'

function sender(version: string, spans: number, notUnderstood: number): Sender {
  return {
    scope: 'ai',
    version,
    spans,
    share_other: 0,
    not_understood: notUnderstood,
    without_tokens: 0,
    without_price: 0,
    without_arguments: 0,
    without_text: 0,
    advice: [],
  }
}

function memory(stored: string | null = null) {
  let value = stored
  return { getItem: () => value, setItem: (_name: string, next: string) => void (value = next) }
}

test('a sender is named if more than a tenth of its spans was not understood', () => {
  const storage = memory()
  assert.equal(senderToWarnOf([sender('1', 10, 1), sender('2', 9, 0)], storage), undefined)
  assert.equal(senderToWarnOf([sender('1', 10, 1), sender('2', 9, 1), sender('3', 8, 8)], storage)?.version, '2')
})

test('a dismissed version is not named again, another one is', () => {
  const storage = memory()
  const all = [sender('1', 10, 10), sender('2', 9, 9)]
  dismissSender(all[0]!, storage)
  assert.equal(senderToWarnOf(all, storage)?.version, '2')
  dismissSender(all[1]!, storage)
  dismissSender(all[1]!, storage)
  assert.equal(senderToWarnOf(all, storage), undefined)
  assert.equal(JSON.parse(storage.getItem() ?? '').length, 2)
})

test('the browser keeps a bounded list, and one that it cannot read is empty', () => {
  const storage = memory('{"no": "list"}')
  const all = Array.from({ length: 101 }, (_, at) => sender(String(at), 1, 1))
  for (const each of all) dismissSender(each, storage)
  assert.equal(senderToWarnOf(all, storage)?.version, '0')
  assert.equal(senderToWarnOf(all, memory('no JSON'))?.version, '0')
})
