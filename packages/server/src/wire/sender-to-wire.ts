import type { Sender } from '@spoor/contract/schemas/sender'
import type { SenderSummary } from '../traces/read/list-senders.ts'

export function toSender(sender: SenderSummary): Sender {
  return {
    scope: sender.scope,
    version: sender.version,
    spans: sender.steps,
    share_other: sender.others / sender.steps,
    not_understood: sender.notUnderstood,
    without_tokens: sender.withoutTokens,
    without_price: sender.withoutPrice,
    without_arguments: sender.withoutArguments,
    without_text: sender.withoutText,
    advice: [...sender.advice],
  }
}
