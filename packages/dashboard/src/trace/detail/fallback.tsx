import { Component, type ReactNode } from 'react'

interface FallbackProps {
  readonly to: ReactNode
  readonly children: ReactNode
}

/** Shows a plainer view if the content cannot be rendered: Markdown may nest too deeply for the renderer. */
export class Fallback extends Component<FallbackProps, { readonly failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.to : this.props.children
  }
}
