import type { Sender } from '@spoor/contract/schemas/sender'
import { NOT_UNDERSTOOD_SHARE, JSON_SCOPE } from '@spoor/contract/senders'
import { parseJson } from './parse-json.ts'

type Named = Pick<Sender, 'scope' | 'version'>

const STORED_AS = 'spoor.dismissed-senders'
/** The oldest is forgotten first. */
const MOST_DISMISSED = 100

/** The sender with the most spans of which more than a tenth was not understood, unless this browser dismissed it. */
export function senderToWarnOf(senders: readonly Sender[], storage: Pick<Storage, 'getItem'>): Sender | undefined {
  const dismissed = read(storage)
  return senders.find(
    (sender) => sender.not_understood > NOT_UNDERSTOOD_SHARE * sender.spans && !dismissed.includes(keyOf(sender)),
  )
}

/** Only this version: the next one may be worse. */
export function dismissSender(sender: Named, storage: Pick<Storage, 'getItem' | 'setItem'>): void {
  const others = read(storage).filter((key) => key !== keyOf(sender))
  storage.setItem(STORED_AS, JSON.stringify([...others, keyOf(sender)].slice(-MOST_DISMISSED)))
}

function keyOf({ scope, version }: Named): string {
  return `${scope}\n${version}`
}

function read(storage: Pick<Storage, 'getItem'>): readonly string[] {
  const stored = parseJson(storage.getItem(STORED_AS) ?? '[]')
  return Array.isArray(stored) ? stored.filter((key) => typeof key === 'string') : []
}

/** As people know it: `ai 5.0.1`, `JSON API`. */
export function senderName({ scope, version }: Pick<Sender, 'scope' | 'version'>): string {
  const name = scope === '' ? 'Spans without a scope' : scope === JSON_SCOPE ? 'JSON API' : scope
  return version === '' ? name : `${name} ${version}`
}
