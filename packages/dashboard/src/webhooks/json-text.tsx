import { useMemo } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'

/** JSON text on many lines; whatever is none, as it is. What is copied is what was sent. */
export function JsonText({ title, text }: { title: string; text: string }) {
  const pretty = useMemo(() => prettyJson(text), [text])
  return (
    <section aria-label={title}>
      <div className="mb-2 flex items-center justify-between">
        <h3 className="font-semibold">{title}</h3>
        <CopyButton text={text} label="Copy the body as it was sent" />
      </div>
      <pre
        tabIndex={0}
        aria-label={title}
        dir="ltr"
        className="bg-sunken overflow-x-auto rounded-md border p-3 font-mono text-xs wrap-anywhere whitespace-pre-wrap"
      >
        {pretty}
      </pre>
    </section>
  )
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
