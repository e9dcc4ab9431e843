import { useMemo } from 'react'
import { parseStructured } from '@spoor/payloads/exact-json'
import { CopyButton } from '../../ui/copy-button.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { LongText } from '../../ui/text/long-text.tsx'

/** Longer JSON is not parsed, because that would freeze the page. */
const MAX_PARSED = 2_000_000

/** JSON as a tree; other or longer text unchanged. Copying copies the original text. */
export function JsonText({ title, text }: { title: string; text: string }) {
  const value = useMemo(() => (text.length > MAX_PARSED ? undefined : parseStructured(text)), [text])
  return (
    <section aria-label={title}>
      <div className="mb-2 flex items-center justify-between">
        <h3 className="font-semibold">{title}</h3>
        <CopyButton text={text} label="Copy the original body" />
      </div>
      {value === undefined ? (
        <pre
          tabIndex={0}
          aria-label={title}
          dir="ltr"
          className="bg-sunken overflow-x-auto rounded-md border p-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap"
        >
          <LongText text={text} />
        </pre>
      ) : (
        <JsonView value={value} label={title} />
      )}
    </section>
  )
}
