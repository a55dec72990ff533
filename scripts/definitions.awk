# Prints what C++ files define or declare, as lines "FILE NAME": classes, structs, enums and their values, functions,
# members, constants, aliases and the names of tests. NAME has its class in front, as in Stack::run. What is inside a
# function, a comment or a string is not printed, and neither is a mere `class Name;` or `using other::name;`.
#
#   awk -f scripts/definitions.awk FILE...
#
# This is no C++ parser. It walks through the text with a stack of open braces, each of which is one of
#   space   a namespace            type   a class, struct or union            enum   an enum
#   body    everything else: function bodies and initialisers, whose contents are skipped.
# In the first three, `text` gathers a declaration up to its `;` (in an enum also `,`), and declare() takes its name.

# Removes comments, strings and preprocessor lines. State from line to line: in_comment, in_raw (a raw string is open
# until raw_end), in_directive.
function code_of(line,    code, at, c) {
  if (in_directive || line ~ /^[ \t]*#/) {
    in_directive = line ~ /\\$/
    return ""
  }
  while (line != "") {
    if (in_comment || in_raw) {
      at = index(line, in_comment ? "*/" : raw_end)
      if (at == 0) return code
      line = substr(line, at + (in_comment ? 2 : length(raw_end)))
      in_comment = in_raw = 0
    } else if (!match(line, /\/\/|\/\*|["']/)) {
      return code line
    } else {
      at = RSTART
      c = substr(line, at, RLENGTH)
      code = code substr(line, 1, at - 1)
      line = substr(line, at + RLENGTH)
      if (c == "//") return code
      if (c == "/*") in_comment = 1
      else if (c == "\"" && code ~ /(^|[^A-Za-z0-9_])R$/) {
        raw_end = ")" substr(line, 1, index(line, "(") - 1) "\""
        in_raw = 1
      } else if (c == "\"") {
        match(line, /^([^"\\]|\\.)*"/)
        line = substr(line, RLENGTH + 1)
      } else if (code !~ /[0-9A-Fa-f]$/ && match(line, /^([^'\\]|\\.)[^']*'/)) {  # else it is the ' of 1'000
        line = substr(line, RLENGTH + 1)
      }
    }
  }
  return code
}

function found(name) {
  print FILENAME, scope[depth] name
}

# The text without what may hold other names: each pair of parentheses becomes @; template arguments, attributes and
# access labels go.
function outline(t) {
  gsub(/->/, " ", t)
  while (match(t, /\( *\*+ *[A-Za-z_][A-Za-z0-9_]* *\)/)) {  # void (*name)(...), a pointer to a function
    t = substr(t, 1, RSTART - 1) pointer_name(substr(t, RSTART, RLENGTH)) substr(t, RSTART + RLENGTH)
  }
  while (gsub(/<[^<>()]*>/, " ", t) || gsub(/\([^()]*\)/, "@", t)) {}
  gsub(/(alignas|decltype|explicit|noexcept|__launch_bounds__) ?@/, " ", t)
  gsub(/\[\[[^]]*\]\]/, " ", t)
  gsub(/(public|private|protected) *:/, " ", t)
  gsub(/[ \t]+/, " ", t)
  sub(/^ /, "", t)
  while (sub(/^(template|inline|static|constexpr|typedef|extern|mutable|virtual|const) /, "", t)) {}
  return t
}

function pointer_name(t) {
  gsub(/[^A-Za-z0-9_]/, "", t)
  return t
}

# The identifier, perhaps Class::name, at the end of t.
function last_name(t) {
  sub(/ +$/, "", t)
  return match(t, /[A-Za-z_~][A-Za-z0-9_]*( ?:: ?~?[A-Za-z_][A-Za-z0-9_]*)*$/) ? substr(t, RSTART) : ""
}

# A declaration is complete: prints the names in it.
function declare(t,    shape, count, part, i, name) {
  if (kind[depth] == "enum") {
    sub(/=.*/, "", t)
    name = last_name(t)
    if (name != "") found(name)
    return
  }
  if (match(t, /^[ \t]*TEST(_F|_P)?[ \t]*\(/)) {  # TEST(Suite, Name)
    t = substr(t, RSTART + RLENGTH)
    sub(/\).*/, "", t)
    sub(/^.*,[ \t]*/, "", t)
    found(t)
    return
  }
  if (match(t, /[A-Za-z_0-9:]*operator *(\(\)|\[\]|[^A-Za-z0-9_ (]+)/)) {
    found(substr(t, RSTART, RLENGTH))
    return
  }
  shape = outline(t)
  if (shape ~ /^(class|struct|union|enum|friend|namespace) / || shape == "") return
  if (shape ~ /^using / && shape !~ /=/) return
  if (shape ~ /^[^={]*@/) {  # a function
    sub(/ ?@.*/, "", shape)
    name = last_name(shape)
    if (name != "") found(name)
    return
  }
  gsub(/\{\}|\[[^]]*\]|=[^,]*/, "", shape)  # values, and sizes of arrays
  count = split(shape, part, ",")
  for (i = 1; i <= count; i++) {
    name = last_name(part[i])
    if (name != "") found(name)
  }
}

# An opening brace: decides from the text before it what it opens.
function open(    shape, name) {
  shape = outline(text)
  name = ""
  if (kind[depth] == "body" || parentheses > 0) {
    push("body", "")
    return
  }
  if (shape ~ /^(inline )?namespace( |$)/ || shape ~ /^extern *$/ || text ~ /^[ \t]*extern *$/) push("space", "")
  else if (shape ~ /^(enum|class|struct|union)( |$)/ && shape !~ /[=@]/) {
    name = shape
    sub(/^(enum (class|struct)?|class|struct|union) */, "", name)
    name = match(name, /^[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*/) ? substr(name, 1, RLENGTH) : ""
    if (name != "") found(name)
    push(shape ~ /^enum/ ? "enum" : "type", name)
    text = ""
  } else push("body", "")
  if (kind[depth] == "space") text = ""
}

# Enters a brace of kind `what`. scope[depth] is the prefix of the names that are declared in it, such as Stack::.
function push(what, name) {
  scope[depth + 1] = what == "type" || what == "enum" ? scope[depth] (name == "" ? "" : name "::") : ""
  kind[++depth] = what
}

# A closing brace. `next_character` is what follows it: if that is , ; or ) the declaration goes on, as after an
# initialiser; otherwise the body was that of a function, whose declaration is complete.
function close_brace(next_character,    was) {
  if (depth == 0) return
  was = kind[depth]
  if (was == "enum") declare(text)
  depth--
  if (was != "body") text = ""
  else if (kind[depth] != "body" && parentheses == 0) {
    text = text "{}"
    if (next_character !~ /[,;)]/) {
      declare(text)
      text = ""
    }
  }
}

FNR == 1 {
  depth = parentheses = in_comment = in_raw = in_directive = 0
  kind[0] = "space"
  scope[0] = text = ""
}
{
  rest = code_of($0)
  while (match(rest, /[{};,()]/)) {
    c = substr(rest, RSTART, 1)
    outside = kind[depth] != "body"
    if (outside) text = text substr(rest, 1, RSTART - 1)
    rest = substr(rest, RSTART + 1)
    if (c == "{") open()
    else if (c == "}") {
      after = rest
      sub(/^[ \t]+/, "", after)
      close_brace(substr(after, 1, 1))
    } else if (outside) {
      if (c == "(") parentheses++
      if (c == ")") parentheses--
      if (parentheses == 0 && (c == ";" || (c == "," && kind[depth] == "enum"))) {
        declare(text)
        text = ""
      } else text = text c
    }
  }
  if (kind[depth] != "body") text = text rest " "
}
