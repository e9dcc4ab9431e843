import type { MessageBody } from '@spoor/contract/schemas/traces/trace-body'
import { useMemo, useState } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { Button } from '../../ui/button.tsx'
import { useFoundQuery } from '../../ui/text/found-query.ts'
import { MessageCard } from './message-card.tsx'
import { Section } from './section.tsx'

/** A long conversation shows its first and last messages. */
const FIRST = 2
const LAST = 20

/** `ofTool`: what a tool was given and what it returned, side by side where there is room. */
export function Conversation({ messages, ofTool }: { messages: readonly MessageBody[]; ofTool: boolean }) {
  const [formatted, setFormatted] = useState(true)
  const [chosen, setAll] = useState(false)
  const query = useFoundQuery()
  const between = Math.max(0, messages.length - FIRST - LAST)
  const all = useMemo(
    () => chosen || (query !== '' && messages.slice(FIRST, FIRST + between).some((message) => has(message, query))),
    [chosen, query, messages, between],
  )
  const hidden = all ? 0 : between
  const isCall = ofTool && messages.length === 2
  const card = (message: MessageBody, index: number) => (
    <MessageCard
      key={index}
      message={message}
      formatted={formatted}
      {...(isCall ? { title: index === 0 ? 'Arguments' : 'Result' } : {})}
    />
  )
  return (
    <Section
      title={messages.length === 1 ? 'Message' : `${formatCount(messages.length)} messages`}
      meta={
        <Button
          variant="ghost"
          className="h-6! px-2!"
          aria-pressed={!formatted}
          onClick={() => setFormatted(!formatted)}
        >
          {formatted ? 'Show as plain text' : 'Show formatted'}
        </Button>
      }
    >
      <ol className={isCall ? 'grid gap-2 @sm:grid-cols-2 [&>li]:min-w-0 @sm:items-start' : 'space-y-2'}>
        {messages.slice(0, hidden === 0 ? undefined : FIRST).map(card)}
        {hidden > 0 && (
          <li>
            <Button className="w-full" onClick={() => setAll(true)}>
              Show {formatCount(hidden)} messages in between
            </Button>
          </li>
        )}
        {hidden > 0 && messages.slice(FIRST + hidden).map((message, index) => card(message, FIRST + hidden + index))}
      </ol>
    </Section>
  )
}

/** Roughly: a match may also be in what is not shown, and some characters are escaped. */
function has(message: MessageBody, query: string): boolean {
  return JSON.stringify(message).toLowerCase().includes(query)
}
