import { CornerDownRight, Wrench } from 'lucide-react'
import type { MessageBody } from '@spoor/contract/schemas/traces/trace-body'
import { type MessagePart, partsOf } from '@spoor/payloads/message-parts'
import { useMemo } from 'react'
import { parseStructured } from '@spoor/payloads/exact-json'
import { JsonView } from '../../ui/text/json-view.tsx'
import { MediaByUri } from './media-view.tsx'
import { type TextStyle, textStyleOf } from '../model/text-style.ts'
import { useHasFound } from '../../ui/text/found-query.ts'
import { TextPart } from './text-part.tsx'

const ROLE_LOOKS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    system: 'text-step-chain',
    developer: 'text-step-chain',
    user: 'text-info',
    assistant: 'text-step-llm',
    tool: 'text-step-tool',
    function: 'text-step-tool',
  }),
)

interface MessageCardProps {
  readonly message: MessageBody
  readonly formatted: boolean
  /** Instead of the role. */
  readonly title?: string
}

export function MessageCard({ message, formatted, title }: MessageCardProps) {
  const parts = useMemo(() => partsOf(message, parseStructured), [message])
  return (
    <li className="bg-raised rounded-lg border">
      <div
        className={`truncate border-b px-3 py-1 text-xs font-semibold ${ROLE_LOOKS.get(message.role) ?? 'text-muted'}`}
      >
        <bdi title={message.role}>{title ?? message.role}</bdi>
      </div>
      <div className="space-y-3 px-3 py-2.5">
        {parts.length === 0 && <p className="text-muted">Empty</p>}
        <MessageParts parts={parts} textStyle={textStyleOf(message.role, formatted)} formatted={formatted} />
      </div>
    </li>
  )
}

interface Rendering {
  readonly textStyle: TextStyle
  readonly formatted: boolean
}

export function MessageParts({ parts, ...rendering }: Rendering & { parts: readonly MessagePart[] }) {
  return parts.map((part, index) => <Part key={index} part={part} {...rendering} />)
}

function Part({ part, textStyle, formatted }: Rendering & { part: MessagePart }) {
  switch (part.kind) {
    case 'text':
      return (
        <div>
          {part.title !== undefined && <p className="text-muted mb-1 text-xs break-words">{part.title}</p>}
          <TextPart text={part.text} textStyle={textStyle} formatted={formatted} />
        </div>
      )
    case 'thinking':
      return <Thinking text={part.text} formatted={formatted} />
    case 'media':
      return <MediaByUri uri={part.uri} />
    case 'image-data':
      return <img src={part.url} alt="Image in the message" className="max-h-96 max-w-full rounded-md border" />
    case 'link':
      return (
        <p className="truncate text-sm">
          <span className="text-muted">{part.label}: </span>
          <a href={part.url} rel="noreferrer" target="_blank" className="text-accent underline">
            <bdi>{part.url}</bdi>
          </a>
        </p>
      )
    case 'document':
      return <Document part={part} formatted={formatted} />
    case 'tool-call':
      return (
        <div className="space-y-1.5">
          <p className="flex min-w-0 items-center gap-1.5">
            <Wrench className="text-step-tool size-3.5 shrink-0" aria-hidden />
            <span className="text-muted text-xs">Calls</span>
            <bdi className="truncate font-mono text-sm font-semibold">{part.name}</bdi>
            <Id id={part.id} />
          </p>
          {typeof part.input === 'string' ? (
            <TextPart text={part.input} textStyle="code" formatted={formatted} />
          ) : (
            part.input !== undefined && <JsonView value={part.input} label={`Input of ${part.name.slice(0, 80)}`} />
          )}
        </div>
      )
    case 'tool-result':
      return (
        <div className="space-y-1.5">
          <p className="flex min-w-0 items-center gap-1.5">
            <CornerDownRight className="text-step-tool size-3.5 shrink-0" aria-hidden />
            <span className={part.failed ? 'text-fail text-xs font-medium' : 'text-muted text-xs'}>
              {part.failed ? 'Failed' : 'Returned'}
            </span>
            <Id id={part.id} />
          </p>
          <MessageParts parts={part.parts} textStyle="code" formatted={formatted} />
        </div>
      )
    case 'json':
    case 'others': {
      const title = part.kind === 'json' ? part.title : 'Other fields'
      return (
        <div className="space-y-1">
          <p className="text-muted truncate text-xs">
            <bdi>{title}</bdi>
          </p>
          <JsonView value={part.value} label={title.slice(0, 80)} />
        </div>
      )
    }
  }
}

function Document({ part, formatted }: { part: Extract<MessagePart, { kind: 'document' }>; formatted: boolean }) {
  const { id, text, score, metadata } = part
  return (
    <div className="space-y-1.5 border-l-2 pl-3">
      <p className="flex min-w-0 items-center gap-1.5 text-xs">
        <span className="text-muted">Document</span>
        <Id id={id} />
        {score !== null && <span className="text-muted">score {score}</span>}
      </p>
      <TextPart text={text} textStyle="text" formatted={formatted} />
      {Object.keys(metadata).length > 0 && <JsonView value={metadata} label="Metadata of the document" />}
    </div>
  )
}

/** Apart from the answer, and collapsed: it is often longer. */
function Thinking({ text, formatted }: { text: string; formatted: boolean }) {
  const found = useHasFound(text)
  return (
    <details className="text-muted border-l-2 pl-3" open={found}>
      <summary className="truncate text-sm italic">
        Thinking: <bdi>{text.slice(0, 120)}</bdi>
      </summary>
      <div className="pt-1.5">
        <TextPart text={text} textStyle="markdown" formatted={formatted} />
      </div>
    </details>
  )
}

function Id({ id }: { id: string | null }) {
  if (id === null) return null
  return (
    <bdi className="text-muted truncate font-mono text-xs" title={id}>
      {id}
    </bdi>
  )
}
