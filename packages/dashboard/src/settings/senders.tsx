import type { Sender } from '@spoor/contract/schemas/sender'
import { JSON_SCOPE, MOST_SENDERS, SENDER_DAYS } from '@spoor/contract/senders'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { sendersQuery } from '../api/settings.ts'
import { formatCount, formatShare } from '../lib/format-number.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { senderName } from '../lib/senders.ts'
import { Badge } from '../ui/badge.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { ADVICE_WORDS } from './sender-words.ts'
import { Section } from './section.tsx'

export function Senders() {
  const mayRead = useMay('read')
  // Whoever opens the screen may just have set a price or an attribute.
  const query = useQuery({ ...sendersQuery, enabled: mayRead, staleTime: 0 })
  const { data } = query
  return (
    <Section
      title="Senders"
      text={`What sent traces in the last ${SENDER_DAYS} days, and what Spoor did not find in its spans. Only names of attributes are shown.`}
    >
      {!mayRead ? (
        <EmptyState title="This key can't read traces">Sign in with a key that has the scope read.</EmptyState>
      ) : data === undefined ? (
        <Loading query={query} rows={6} />
      ) : data.senders.length === 0 ? (
        <EmptyState title={`No traces in the last ${SENDER_DAYS} days`} />
      ) : (
        <>
          <ul aria-label="Senders" className="border-t">
            {data.senders.map((sender) => (
              <SenderRow key={`${sender.scope}\n${sender.version}`} sender={sender} />
            ))}
          </ul>
          {!data.complete && (
            <p className="text-muted p-4 text-sm">
              There are more senders, or more kinds of steps, than are counted: at most {MOST_SENDERS} senders are
              shown.
            </p>
          )}
        </>
      )}
    </Section>
  )
}

function SenderRow({ sender }: { sender: Sender }) {
  const { scope, version, spans, advice } = sender
  return (
    <li className="space-y-2 border-b p-4">
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <h3 className="min-w-0 font-semibold break-words">
          <bdi>{senderName({ scope, version: '' })}</bdi>
        </h3>
        {version !== '' && <bdi className="text-muted min-w-0 text-sm break-words">{version}</bdi>}
        {advice.length === 0 && <Badge tone="ok">all understood</Badge>}
      </div>
      <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
        <Figure label="Spans" value={formatCount(spans)} />
        <Figure label="Type other" value={formatShare(sender.share_other)} />
        {FAULTS.filter(({ field }) => sender[field] > 0).map(({ field, label }) => (
          <Figure key={field} label={label} value={formatCount(sender[field])} />
        ))}
      </dl>
      {advice.length > 0 && (
        <ul aria-label="What to set" className="space-y-1.5 text-sm">
          {advice.map((each) => (
            <Advice key={`${each.kind} ${each.attribute}`} hasFields={HAVE_FIELDS.has(scope)} {...each} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** Senders of the fields of the API. */
const HAVE_FIELDS: ReadonlySet<string> = new Set([JSON_SCOPE, 'spoor'])

const FAULTS = [
  { field: 'not_understood', label: 'Not understood' },
  { field: 'without_tokens', label: 'Without tokens' },
  { field: 'without_price', label: 'Without price' },
  { field: 'without_arguments', label: 'Without arguments or result' },
  { field: 'without_text', label: 'Without text' },
] as const satisfies readonly { readonly field: keyof Sender; readonly label: string }[]

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-muted">{label}</dt>
      <dd className="tabular-nums">{value}</dd>
    </div>
  )
}

function Advice({ kind, attribute, count, hasFields }: Sender['advice'][number] & { hasFields: boolean }) {
  const { found, set, setInFields, guide } = ADVICE_WORDS[kind]
  return (
    <li className="flex gap-3">
      <span className="text-muted w-14 shrink-0 text-right tabular-nums">{formatCount(count)}×</span>
      <div className="max-w-3xl min-w-0 break-words">
        {attribute !== null && (
          <>
            <Code>{attribute}</Code>:{' '}
          </>
        )}
        {found} <WithCode text={hasFields ? (setInFields ?? set) : set} />{' '}
        {kind === 'price' && attribute !== null && (
          <Link to="/app/settings" search={{ tab: 'prices', model: attribute }} className="text-accent hover:underline">
            Add the price.
          </Link>
        )}{' '}
        <span className="text-muted">
          More in <Code>docs/guide/{guide}</Code>
        </span>
      </div>
    </li>
  )
}

function WithCode({ text }: { text: string }) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <Code key={at}>{part}</Code> : part))
}

function Code({ children }: { children: React.ReactNode }) {
  return <code className="font-mono text-xs break-words">{children}</code>
}
