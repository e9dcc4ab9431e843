import { type ComponentProps, useState, useEffect } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkBreaks from 'remark-breaks'
import remarkGfm from 'remark-gfm'
import { isMediaUri } from '@spoor/payloads/message-parts'
import { mediaPath } from '../../api/media.ts'
import { withoutAnsi } from '../../lib/ansi-text.ts'
import { keepIndents } from './keep-indents.ts'
import './code.css'

const LOOK =
  'space-y-2 break-words [&_a]:text-accent [&_a]:underline [&_blockquote]:border-s-2 [&_blockquote]:border-line-strong [&_blockquote]:ps-3 [&_blockquote]:text-muted ' +
  '[&_code]:rounded [&_code]:bg-sunken [&_code]:px-1 [&_code]:font-mono [&_code]:text-[0.92em] [&_h1]:text-lg [&_h1]:font-semibold [&_h2]:text-lg [&_h2]:font-semibold ' +
  '[&_h3]:font-semibold [&_h4]:font-semibold [&_h5]:font-semibold [&_h6]:font-semibold [&_hr]:my-3 [&_li]:my-0.5 [&_ol]:list-decimal [&_ol]:ps-6 ' +
  '[&_pre]:overflow-x-auto [&_pre]:rounded-md [&_pre]:border [&_pre]:bg-sunken [&_pre]:p-2.5 [&_pre_code]:bg-transparent [&_pre_code]:p-0 ' +
  '[&_table]:block [&_table]:overflow-x-auto [&_td]:border [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:bg-sunken [&_th]:px-2 [&_th]:py-1 [&_th]:text-start [&_ul]:list-disc [&_ul]:ps-6'

/** Headings in a message are rendered three levels lower, because they are not headings of the page. */
const COMPONENTS: Components = {
  a: ({ href, children }) =>
    href === undefined || href === '' ? (
      <span>{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    ),
  img: ({ src, alt }) => <Picture src={src} alt={alt} />,
  h1: (props) => <Heading {...props} />,
  h2: (props) => <Heading {...props} />,
  h3: (props) => <Heading {...props} />,
  input: ({ checked }) => <input type="checkbox" checked={checked === true} readOnly aria-label="Task" disabled />,
  // Each block has its own direction, and with it its bullets.
  p: ({ children }) => <p dir="auto">{children}</p>,
  ul: ({ children }) => <ul dir="auto">{children}</ul>,
  ol: ({ children, start }) => (
    <ol dir="auto" start={start}>
      {children}
    </ol>
  ),
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
}

/**
 * Renders Markdown with GitHub's tables and lists; line breaks and indents are kept. HTML is shown as text, nothing is
 * loaded from other hosts, and links open only the web or mail.
 */
export function Markdown({ text }: { text: string }) {
  const highlighting = useHighlighting(text)
  return (
    <div className={LOOK} dir="auto">
      <ReactMarkdown
        remarkPlugins={[remarkGfm, keepIndents, remarkBreaks]}
        rehypePlugins={highlighting}
        components={COMPONENTS}
        urlTransform={safeUrl}
      >
        {withoutAnsi(text)}
      </ReactMarkdown>
    </div>
  )
}

function safeUrl(url: string): string {
  if (isMediaUri(url)) return url
  return /^(https?|mailto):/i.test(url) ? url : ''
}

function Heading({ children }: ComponentProps<'h1'>) {
  return <h4 className="text-lg">{children}</h4>
}

/**
 * Shows an image that Spoor stores. An image of another host is a link, because loading it would tell that host who
 * reads the page.
 */
function Picture({ src, alt }: { src: unknown; alt: string | undefined }) {
  const [failed, setFailed] = useState(false)
  const words = alt === undefined || alt === '' ? 'Image' : alt
  if (isMediaUri(src) && !failed) {
    return <img src={mediaPath(src)} alt={words} className="max-h-96 max-w-full" onError={() => setFailed(true)} />
  }
  if (typeof src !== 'string' || src === '') return <span>{words}</span>
  return (
    <a href={isMediaUri(src) ? mediaPath(src) : src} target="_blank" rel="noopener noreferrer">
      {words} (image)
    </a>
  )
}

type Plugins = NonNullable<ComponentProps<typeof ReactMarkdown>['rehypePlugins']>

const NONE: Plugins = []
/** A block of code that names its language. */
const NAMED_CODE = /^[ \t]*(?:```|~~~)[ \t]*\w/m

/** What colours code in Markdown. It is loaded when a text has such code, and until then the code is plain. */
function useHighlighting(text: string): Plugins {
  const [plugins, setPlugins] = useState(NONE)
  const wanted = NAMED_CODE.test(text)
  useEffect(() => {
    if (!wanted) return
    let shown = true
    void import('rehype-highlight').then(
      ({ default: highlight }) => shown && setPlugins([highlight]),
      // Without the file, which a restart of the service may have replaced, code is readable too.
      () => {},
    )
    return () => {
      shown = false
    }
  }, [wanted])
  return plugins
}
