// On a phone the tabs scroll sideways: the one of this page must be in sight.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
