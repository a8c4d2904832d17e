// A script that every browser can read, before the console. These two functions came last to the oldest browsers that
// package.json names.
if (!URL.parse || !Set.prototype.union) {
  document.getElementById('root').remove()
  document.getElementById('old-browser').hidden = false
}
