import { isUserRole } from '@spoor/payloads/said'
import { Link } from '@tanstack/react-router'
import { CircleAlert, OctagonX, ScrollText, Wrench } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { formatCompact, formatCount } from '../lib/format-number.ts'
import { formatClock, formatExact } from '../lib/format-time.ts'
import { MessageParts } from '../trace/detail/message-card.tsx'
import { StepCost } from '../trace/detail/step-cost.tsx'
import { textStyleOf } from '../trace/model/text-style.ts'
import { JsonView } from '../ui/text/json-view.tsx'
import { textDifference } from '../lib/text-difference.ts'
import { ChangedWords } from '../ui/text/changed-words.tsx'
import { LongText } from '../ui/text/long-text.tsx'
import { previewOfInput, previewOfResult } from './tool-preview.ts'
import type { ErrorTurn, MessageTurn, PromptTurn, ToolTurn, Turn } from './turn.ts'

const CARD = 'rounded-lg border px-3 py-2'

export function TurnItem({ traceId, turn }: { traceId: string; turn: Turn }) {
  const step = <Source traceId={traceId} turn={turn} />
  if (turn.kind === 'prompt') return <PromptItem turn={turn} step={step} />
  if (turn.kind === 'error') return <ErrorItem turn={turn} step={step} />
  if (turn.kind === 'tool') return <ToolItem turn={turn} step={step} />
  return <MessageItem turn={turn} step={step} />
}

/** When it was said, what the model used for it, and its step. */
function Source({ traceId, turn: { stepId, at, answer } }: { traceId: string; turn: Turn }) {
  const { model = null, tokens = null, cost = null, isSenderCost = false } = answer ?? {}
  return (
    <span className="text-muted ml-auto flex max-w-full min-w-0 items-center gap-2 text-xs tabular-nums">
      {model !== null && (
        <bdi className="truncate" title={model}>
          {model}
        </bdi>
      )}
      {tokens !== null && <span className="whitespace-nowrap">{formatCompact(tokens)} tokens</span>}
      {cost !== null && <StepCost cost={cost} isSenders={isSenderCost} />}
      <time dateTime={at} title={formatExact(Date.parse(at))} className="whitespace-nowrap">
        {formatClock(Date.parse(at))}
      </time>
      <Link
        to="/app/traces/$traceId"
        params={{ traceId }}
        search={{ step: stepId }}
        className="hover:text-ink -my-1 shrink-0 leading-6 underline decoration-dotted"
      >
        Step
      </Link>
    </span>
  )
}

function MessageItem({ turn, step }: { turn: MessageTurn; step: ReactNode }) {
  const isUser = isUserRole(turn.role)
  return (
    <li data-step={turn.stepId} className={isUser ? 'md:pl-16' : 'md:pr-16'}>
      <div className={`${CARD} ${isUser ? 'bg-selected' : 'bg-raised'}`}>
        <div className="mb-1 flex flex-wrap items-center gap-x-2">
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

/** Folded to one line. Instructions with little in common with those before are shown in full. */
function PromptItem({ turn: { stepId, text, previous }, step }: { turn: PromptTurn; step: ReactNode }) {
  const changes = useMemo(() => {
    const pieces = textDifference(previous ?? '', text)
    const same = pieces.reduce((sum, piece) => sum + (piece.kind === 'same' ? piece.text.length : 0), 0)
    return 2 * same < text.length ? null : pieces
  }, [previous, text])
  return (
    <li data-step={stepId} className="flex flex-wrap items-start gap-x-2 px-3">
      <details className="min-w-[min(60%,20rem)] flex-1">
        <summary className="text-muted hover:text-ink truncate text-sm">
          <ScrollText className="mr-1.5 inline size-3.5" aria-hidden />
          {changes === null ? 'System prompt' : 'System prompt changed'}
          <span className="text-xs"> {formatCount(text.length)} characters</span>
        </summary>
        <div className="border-l-2 py-2 pl-3">
          {changes === null ? (
            <MessageParts parts={[{ kind: 'text', text }]} textStyle="text" formatted />
          ) : (
            <ChangedWords pieces={changes} />
          )}
        </div>
      </details>
      {step}
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
      <div className="flex flex-wrap items-start gap-x-2">
        <details className="min-w-[min(60%,20rem)] flex-1">
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
    <li data-step={turn.stepId} className={`border-fail bg-fail-ground flex flex-wrap items-start gap-x-2 ${CARD}`}>
      <CircleAlert className="text-fail mt-0.5 size-4 shrink-0" aria-hidden />
      <p className="text-fail min-w-[min(60%,20rem)] flex-1 text-sm wrap-anywhere whitespace-pre-wrap">
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
