/**
 * Keeps a page right that a browser translates. Chrome and Edge put each translated text into a `<font>` in place of
 * its text node, and React goes on to change, move and remove that node: the page would show "Running" for ever, or end
 * in an error of `removeChild`. So the wrapper of each replaced node is remembered, and what is done to the node is done
 * to the wrapper. Safari and Firefox change texts in place, which needs nothing.
 */
const wrappers = new WeakMap<Node, Element>()
let isPatched = false

export function keepTranslated(root: Node): void {
  const observer = new MutationObserver((records) => {
    for (const { removedNodes, addedNodes, previousSibling, nextSibling } of records) {
      const wrapper = [...addedNodes, previousSibling, nextSibling].find(isWrapper)
      if (wrapper === undefined) continue
      for (const node of removedNodes) if (node instanceof Text) wrappers.set(node, wrapper)
      if (!isPatched) patch()
    }
  })
  observer.observe(root, { childList: true, subtree: true })
}

function isWrapper(node: Node | null): node is Element {
  return node instanceof Element && node.localName === 'font'
}

/** The node, or what stands for it in this parent. */
function standIn<Child extends Node | null>(parent: Node, child: Child): Child {
  const wrapper = child === null || child.parentNode === parent ? undefined : wrappers.get(child)
  return wrapper?.parentNode === parent ? (wrapper as unknown as Child) : child
}

function patch(): void {
  isPatched = true
  // They are called with the node as `this`.
  // oxlint-disable-next-line typescript/unbound-method
  const { removeChild, insertBefore } = Node.prototype
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    removeChild.call(this, standIn(this, child))
    return child
  }
  Node.prototype.insertBefore = function <Child extends Node>(
    this: Node,
    child: Child,
    // Some libraries leave it out.
    before: Node | null = null,
  ): Child {
    // A node that is moved comes back untranslated, and is translated again.
    const wrapper = child.parentNode === null ? wrappers.get(child) : undefined
    const place = wrapper !== undefined && before === wrapper ? wrapper.nextSibling : before
    wrapper?.remove()
    insertBefore.call(this, child, standIn(this, place))
    return child
  }
  const value = Object.getOwnPropertyDescriptor(Node.prototype, 'nodeValue')
  Object.defineProperty(Node.prototype, 'nodeValue', {
    ...value,
    set(this: Node, text: string | null) {
      value?.set?.call(this, text)
      // A changed text takes its place again, and is translated anew.
      if (this.parentNode === null) wrappers.get(this)?.replaceWith(this)
    },
  })
}
