import { JSON_SCOPE } from '@spoor/contract/senders'
import type { Sender } from '@spoor/contract/schemas/sender'

/** As people know it: `ai 5.0.1`, `JSON API`. */
export function senderName({ scope, version }: Pick<Sender, 'scope' | 'version'>): string {
  const name = scope === '' ? 'Spans without a scope' : scope === JSON_SCOPE ? 'JSON API' : scope
  return version === '' ? name : `${name} ${version}`
}
