import type { MessageBody } from '@spoor/contract/schemas/trace-body'
import { useState } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { Button } from '../../ui/button.tsx'
import { MessageCard } from './message-card.tsx'
import { Section } from './section.tsx'
import type { TextLook } from './text-part.tsx'

/** Of a long conversation, the first and the last are shown: what was asked and what came of it. */
const FIRST = 2
const LAST = 20

export function Conversation({ messages }: { messages: readonly MessageBody[] }) {
  const [look, setLook] = useState<TextLook>('markdown')
  const [all, setAll] = useState(false)
  const hidden = all ? 0 : Math.max(0, messages.length - FIRST - LAST)
  const card = (message: MessageBody, index: number) => <MessageCard key={index} message={message} look={look} />
  return (
    <Section
      title={messages.length === 1 ? 'Message' : `${formatCount(messages.length)} messages`}
      meta={
        <Button
          variant="ghost"
          className="h-6! px-2!"
          aria-pressed={look === 'plain'}
          onClick={() => setLook(look === 'plain' ? 'markdown' : 'plain')}
        >
          {look === 'plain' ? 'Show formatted' : 'Show as plain text'}
        </Button>
      }
    >
      <ol className="space-y-2">
        {messages.slice(0, hidden === 0 ? undefined : FIRST).map(card)}
        {hidden > 0 && (
          <li>
            <Button className="w-full" onClick={() => setAll(true)}>
              Show {formatCount(hidden)} messages between
            </Button>
          </li>
        )}
        {hidden > 0 && messages.slice(FIRST + hidden).map((message, index) => card(message, FIRST + hidden + index))}
      </ol>
    </Section>
  )
}
