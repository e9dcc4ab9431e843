import { isUserRole } from '@spoor/payloads/said'
import { Link } from '@tanstack/react-router'
import { CircleAlert, OctagonX, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { MessageParts } from '../trace/detail/message-card.tsx'
import { textStyleOf } from '../trace/model/text-style.ts'
import { JsonView } from '../ui/text/json-view.tsx'
import { LongText } from '../ui/text/long-text.tsx'
import { previewOfInput, previewOfResult } from './tool-preview.ts'
import type { ErrorTurn, MessageTurn, ToolTurn, Turn } from './turn.ts'

const CARD = 'rounded-lg border px-3 py-2'

/** One entry of a conversation, linked to its step. */
export function TurnItem({ traceId, turn }: { traceId: string; turn: Turn }) {
  const step = (
    <Link
      to="/app/traces/$traceId"
      params={{ traceId }}
      search={{ step: turn.stepId }}
      className="text-muted hover:text-ink ml-auto shrink-0 text-xs underline decoration-dotted"
    >
      Step
    </Link>
  )
  if (turn.kind === 'error') return <ErrorItem turn={turn} step={step} />
  if (turn.kind === 'tool') return <ToolItem turn={turn} step={step} />
  return <MessageItem turn={turn} step={step} />
}

function MessageItem({ turn, step }: { turn: MessageTurn; step: ReactNode }) {
  const isUser = isUserRole(turn.role)
  return (
    <li data-step={turn.stepId} className={isUser ? 'md:pl-16' : 'md:pr-16'}>
      <div className={`${CARD} ${isUser ? 'bg-selected' : 'bg-raised'}`}>
        <div className="mb-1 flex items-center gap-2">
          <bdi className={`truncate text-xs font-semibold ${isUser ? 'text-info' : 'text-step-llm'}`}>{turn.role}</bdi>
          {step}
        </div>
        <div className="space-y-3">
          <MessageParts parts={turn.parts} textStyle={textStyleOf(turn.role, true)} formatted />
        </div>
      </div>
    </li>
  )
}

/** Collapsed to one line; an error is always visible. */
function ToolItem({ turn, step }: { turn: ToolTurn; step: ReactNode }) {
  const { name, input, result, failed, error } = turn
  const Icon = failed ? OctagonX : Wrench
  const preview = previewOfInput(input)
  return (
    <li data-step={turn.stepId} className="px-3 md:pr-16">
      <div className="flex items-start gap-2">
        <details className="min-w-0 flex-1">
          <summary className="text-muted hover:text-ink truncate text-sm">
            <Icon className={`mr-1.5 inline size-3.5 ${failed ? 'text-fail' : 'text-step-tool'}`} aria-hidden />
            <bdi className="text-ink font-mono font-medium">{name ?? 'Tool result'}</bdi>
            {preview !== '' && <bdi className="font-mono text-xs"> {preview}</bdi>}
            {failed && <span className="text-fail ml-1.5 font-medium">failed</span>}
            {result !== null && <bdi className="text-xs"> → {previewOfResult(result)}</bdi>}
          </summary>
          <div className="space-y-3 border-l-2 py-2 pl-3">
            {input !== undefined && (
              <Labelled label="Arguments">
                {typeof input === 'object' && input !== null ? (
                  <JsonView value={input} label={`Arguments of ${name ?? 'the tool'}`} />
                ) : (
                  <MessageParts parts={[{ kind: 'text', text: String(input) }]} textStyle="code" formatted />
                )}
              </Labelled>
            )}
            <Labelled label="Result">
              {result === null ? (
                <p className="text-muted text-sm">No result.</p>
              ) : (
                <MessageParts parts={result} textStyle="code" formatted />
              )}
            </Labelled>
          </div>
        </details>
        {step}
      </div>
      {error !== null && error !== '' && (
        <p className="text-fail mt-1 font-mono text-xs wrap-anywhere whitespace-pre-wrap">
          <LongText text={error} />
        </p>
      )}
    </li>
  )
}

function ErrorItem({ turn, step }: { turn: ErrorTurn; step: ReactNode }) {
  return (
    <li data-step={turn.stepId} className={`border-fail bg-fail-ground flex items-start gap-2 ${CARD}`}>
      <CircleAlert className="text-fail mt-0.5 size-4 shrink-0" aria-hidden />
      <p className="text-fail min-w-0 text-sm wrap-anywhere whitespace-pre-wrap">
        <bdi>{turn.step}</bdi> failed{turn.text !== '' && ': '}
        <LongText text={turn.text} />
      </p>
      {step}
    </li>
  )
}

function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <p className="text-muted mb-1 text-xs">{label}</p>
      {children}
    </div>
  )
}
