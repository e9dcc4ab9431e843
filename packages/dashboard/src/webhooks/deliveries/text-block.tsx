import { CopyButton } from '../../ui/copy-button.tsx'

/** Foreign text, unchanged. */
export function TextBlock({ title, text }: { title: string; text: string }) {
  if (text === '') return <p className="text-muted text-sm">{title}: empty</p>
  return (
    <div className="relative">
      <p className="text-muted mb-1 text-sm">{title}</p>
      <CopyButton text={text} label={`Copy: ${title.toLowerCase()}`} className="absolute top-5 right-1" />
      <pre
        tabIndex={0}
        aria-label={title}
        dir="ltr"
        className="bg-sunken max-h-80 overflow-auto rounded-md border p-2 pr-10 font-mono text-xs break-all whitespace-pre-wrap"
      >
        {text}
      </pre>
    </div>
  )
}
