"""Tokens of a window as vectors: each by itself and its neighbours, and by its place."""

from torch import Tensor, nn

from paiad.layers.positions import sinusoids


class TokenEmbedding(nn.Module):
    """Tokens [batch, tokens, values] to [batch, tokens, features]: a convolution over three tokens, which wraps
    around at the ends, plus a code of the token's place."""

    places: Tensor

    def __init__(self, values: int, features: int, tokens: int) -> None:
        super().__init__()
        self.project = nn.Conv1d(values, features, 3, padding=1, padding_mode="circular", bias=False)
        nn.init.kaiming_normal_(self.project.weight, mode="fan_in", nonlinearity="leaky_relu")
        self.register_buffer("places", sinusoids(tokens, features), persistent=False)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.project(tokens.transpose(1, 2)).transpose(1, 2) + self.places
